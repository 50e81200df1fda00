import { findProject } from '../../../access/projects.ts';
import { isRefused, type Refused } from '../../../refused.ts';
import type { Project } from './entities.ts';
import { type Presenting, projectEntities } from './present.ts';

/** A project as the answer to a write: read again, since its place and the caller's rights may be other ones now. */
export async function written(to: Presenting, projectId: number): Promise<Project> {
  const row = await findProject(to.db, to.caller, String(projectId));
  if (row === null) throw new Error(`Project ${projectId} is gone before its change was answered`);
  const [shown] = await projectEntities(to, [row]);
  return shown as Project;
}

/** The same after a change that may have been refused. */
export async function writtenUnless<Code extends string>(
  to: Presenting,
  { id }: { readonly id: number },
  result: Refused<Code> | object,
): Promise<Project | Refused<Code>> {
  return isRefused(result) ? (result as Refused<Code>) : written(to, id);
}
