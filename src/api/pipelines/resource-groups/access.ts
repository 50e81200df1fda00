import type { Project } from '../../../access/projects.ts';
import type { AccessCall } from '../../../http/access/access.ts';
import { required } from '../../../http/parameters/declarations.ts';
import { text } from '../../../http/parameters/texts.ts';
import { notFound } from '../../../http/refusals/refusal.ts';
import { findResourceGroup } from './store.ts';

/** The resource group that the path names. */
export const resourceGroup = {
  name: 'resourceGroup',
  params: { key: required(text) },
  find: ({ db, params }: AccessCall<{ readonly key: string }>, { project }: { readonly project: Project }) =>
    findResourceGroup(db, project.id, params.key),
  missing: () => notFound(),
} as const;
