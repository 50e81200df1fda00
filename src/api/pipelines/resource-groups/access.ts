import type { Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { findResourceGroup } from './store.ts';

/** The resource group in the path. */
export const resourceGroupResource = {
  name: 'resourceGroup',
  params: { key: required(string) },
  load: ({ db, params }: AccessCall<{ readonly key: string }>, { project }: { readonly project: Project }) =>
    findResourceGroup(db, project.id, params.key),
  notFound: () => notFound(),
} as const;
