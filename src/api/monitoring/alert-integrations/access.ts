import type { Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { findIntegration } from './store.ts';

/**
 * Loads the integration that the path names. On tier free, newer integrations of a type neither work nor are listed, but they
 * exist: a caller who knows the id can get one, reset its token and delete it.
 */
export const integrationResource = {
  name: 'integration',
  params: { integration_id: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly integration_id: number }>, { project }: { readonly project: Project }) =>
    findIntegration(db, project, params.integration_id),
  notFound: () => notFound('Alert Integration'),
} as const;
