import { type Git, repositoryAt } from '../git/git.ts';
import type { Repository } from '../git/repository.ts';

/** Where a project's repository lies, and what HEAD means in it. */
export interface Placed {
  readonly storage: string;
  readonly disk_path: string;
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
