import type { Reader } from '#database/database.ts';
import { type Git, getRepositoryAt } from '#git/git.ts';
import type { Repository } from '#git/repository.ts';

/** Location of a repository. Locations are unique and never reused. */
export interface RepositoryLocation {
  readonly storage: string;
  readonly disk_path: string;
}

/** Location of a project's repository, and its default branch (HEAD). */
export interface LocatedRepository extends RepositoryLocation {
  readonly default_branch: string;
}

/** A located repository with its ref-state version, read in the same query, under which ref data may be cached. */
export interface VersionedRepository extends LocatedRepository {
  readonly ref_state_version: number;
}

/** Returns the repository of a project. Its directory is created at the first write; until then it reads as empty. */
export function getRepository(git: Git, { storage, disk_path, default_branch }: LocatedRepository): Repository {
  return { ...getRepositoryAt(git, storage, disk_path), head: default_branch };
}

/** Returns whether two locations are the same. */
export function isSameLocation(location: RepositoryLocation, other: RepositoryLocation): boolean {
  return location.storage === other.storage && location.disk_path === other.disk_path;
}

/**
 * Returns whether a project's repository is still at its location and not read-only. Otherwise a storage move may have lost
 * objects that were written without a ref, and therefore without an intent.
 */
export async function isAtLocation(
  db: Reader,
  project: RepositoryLocation & { readonly id: number },
): Promise<boolean> {
  // index: repositories primary key
  const currentRow = await db
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'read_only'])
    .where('project_id', '=', project.id)
    .executeTakeFirst();
  return currentRow !== undefined && !currentRow.read_only && isSameLocation(currentRow, project);
}

/** Returns the cache version of refs and HEAD, from a project read in the same request. */
export function getRefVersion({
  ref_state_version,
  default_branch,
}: Pick<VersionedRepository, 'ref_state_version' | 'default_branch'>): string {
  return `${ref_state_version} ${default_branch}`;
}

/** Returns the URL of a project's pages. */
export function buildProjectUrl(
  request: { readonly baseUrl: string },
  project: { readonly full_path: string },
): string {
  return `${request.baseUrl}/${project.full_path}`;
}

/** Encodes names of branches and files for the path of a URL; slashes stay. */
export function encodeUrlPath(names: string): string {
  // encodeURI does not encode characters that end the path.
  return encodeURI(names).replaceAll('#', '%23').replaceAll('?', '%3F');
}
