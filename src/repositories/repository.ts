import type { Reader } from '#database/database.ts';
import { type Git, repositoryAt } from '#git/git.ts';
import type { Repository } from '#git/repository.ts';

/** Where a repository lies: no two ever have the same place, nor one the place that it has left. */
export interface Place {
  readonly storage: string;
  readonly disk_path: string;
}

/** Where a project's repository lies, and what HEAD means in it. */
export interface Placed extends Place {
  readonly default_branch: string;
}

/** The same with the version of its refs, read together: what is said of refs may be remembered under it. */
export interface Versioned extends Placed {
  readonly ref_state_version: number;
}

/** The repository of a project. Its directory is made at the first write; until then it reads as empty. */
export function repositoryOf(git: Git, { storage, disk_path, default_branch }: Placed): Repository {
  return { ...repositoryAt(git, storage, disk_path), head: default_branch };
}

/** Are these the same place? */
export function isAt(one: Place, other: Place): boolean {
  return one.storage === other.storage && one.disk_path === other.disk_path;
}

/**
 * Is the repository of a project still where it was read to be, and not read-only? Then what has been written into it so far
 * stays in it, wherever it goes: for objects without a ref, which have no intent that a move would wait for.
 */
export async function isStillAt(db: Reader, project: Place & { readonly id: number }): Promise<boolean> {
  // index: repositories primary key
  const now = await db
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'read_only'])
    .where('project_id', '=', project.id)
    .executeTakeFirst();
  return now !== undefined && !now.read_only && isAt(now, project);
}

/** The version under which refs, and HEAD among them, may be remembered: read in the same request as the project. */
export function refVersion({
  ref_state_version,
  default_branch,
}: Pick<Versioned, 'ref_state_version' | 'default_branch'>): string {
  return `${ref_state_version} ${default_branch}`;
}

/** Where a project's pages are. */
export function projectUrl(request: { readonly baseUrl: string }, project: { readonly full_path: string }): string {
  return `${request.baseUrl}/${project.full_path}`;
}

/** Names of branches and files as a part of a URL's path, where slashes stand for themselves. */
export function inUrl(names: string): string {
  // What would end a URL's path is left alone by encodeURI.
  return encodeURI(names).replaceAll('#', '%23').replaceAll('?', '%3F');
}
