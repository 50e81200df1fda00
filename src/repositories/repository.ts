import { type Git, repositoryAt } from '../git/git.ts';
import type { Repository } from '../git/repository.ts';

/** Where a project's repository lies. */
export interface Placed {
  readonly storage: string;
  readonly disk_path: string;
}

/** The repository of a project. Its directory is made at the first write; until then it reads as empty. */
export function repositoryOf(git: Git, { storage, disk_path }: Placed): Repository {
  return repositoryAt(git, storage, disk_path);
}

/** The version under which refs, and HEAD among them, may be remembered: read in the same request as the project. */
export function refVersion(project: { readonly ref_state_version: number; readonly default_branch: string }): string {
  return `${project.ref_state_version} ${project.default_branch}`;
}

/** Where a project's pages are. */
export function projectUrl(request: { readonly baseUrl: string }, project: { readonly full_path: string }): string {
  return `${request.baseUrl}/${project.full_path}`;
}
