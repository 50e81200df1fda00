import type { Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { findIntegration } from './store.ts';

/**
 * The integration that the path names. On tier free the younger ones of a type neither work nor are listed, but they are there:
 * whoever knows one's id from better times reads it, takes its token away and deletes it.
 */
export const integration = {
  name: 'integration',
  params: { integration_id: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly integration_id: number }>, { project }: { readonly project: Project }) =>
    findIntegration(db, project, params.integration_id),
  notFound: () => notFound('Alert Integration'),
} as const;
