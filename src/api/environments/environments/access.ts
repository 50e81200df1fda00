import { findEnvironment } from '../../../access/environments.ts';
import type { Project } from '../../../access/projects.ts';
import type { AccessCall } from '../../../http/access/access.ts';
import { required } from '../../../http/parameters/declarations.ts';
import { integer } from '../../../http/parameters/types.ts';
import { nestedNotFound } from '../../../http/refusals/refusal.ts';

/** The environment that the path names. */
export const environment = {
  name: 'environment',
  params: { environment_id: required(integer) },
  find: ({ db, params }: AccessCall<{ readonly environment_id: number }>, { project }: { readonly project: Project }) =>
    findEnvironment(db, project.id, params.environment_id),
  missing: nestedNotFound,
} as const;
