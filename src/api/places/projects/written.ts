import { findProject, type Project } from '../../../access/projects.ts';
import type { Reader } from '../../../database/database.ts';
import type { Caller } from '../../../identity/caller.ts';
import { isRefused, type Refused } from '../../../refused.ts';

/** A project as the answer to a write: read again, since its place and the caller's rights may be other ones now. */
export async function written(
  { db, caller }: { readonly db: Reader; readonly caller: Caller },
  projectId: number,
): Promise<Project> {
  const row = await findProject(db, caller, String(projectId));
  if (row === null) throw new Error(`Project ${projectId} is gone before its change was answered`);
  return row;
}

/** The same after a change that may have been refused. */
export async function writtenUnless<Code extends string>(
  to: { readonly db: Reader; readonly caller: Caller },
  { id }: { readonly id: number },
  result: Refused<Code> | object,
): Promise<Project | Refused<Code>> {
  return isRefused(result) ? (result as Refused<Code>) : written(to, id);
}
