import type { Caller } from '#authentication/caller.ts';
import { getWidestAllowedVisibility, minVisibility } from '#authorization/visibility.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import type { Visibility } from '#database/schema.ts';
import { isValidBranchName } from '#git/refs/refs.ts';
import { compactFieldErrors, type FieldErrors, invalid } from '#runtime/failure.ts';
import type { ApplicationSettings } from '#settings/settings.ts';
import { trimCharacters } from '#text/trim.ts';
import type { ProjectAttributeInput } from './attributes/attributes.ts';
import { validateAttributes } from './attributes/input-attributes.ts';
import type { TargetNamespace } from './target-namespace.ts';

/** Validation of a project's attributes (contract/planning.md §3.3). */

/** Returns the errors of the attributes, apart from name, path and visibility. */
export function validateValues(input: ProjectAttributeInput, storages: readonly string[]): FieldErrors {
  const { repository_storage: storage } = input;
  const unknownStorage = storage != null && !storages.includes(storage);
  return { ...validateAttributes(input), repository_storage_moves: unknownStorage ? ['is invalid'] : [] };
}

/** Returns the error of a default branch whose name git does not accept. */
export function validateDefaultBranch(branch: string | null | undefined): FieldErrors {
  return { default_branch: branch == null || isValidBranchName(branch) ? [] : ['is not a valid branch name'] };
}

/**
 * Returns the visibility of a new project if the request has none: the instance's default, or the widest narrower one
 * that is not restricted.
 */
export function getDefaultVisibility(caller: Caller, settings: ApplicationSettings): Visibility {
  return getWidestAllowedVisibility(caller, settings.default_project_visibility, settings);
}

/** Limits the visibility of a project to that of its group. */
export function capVisibility(target: TargetNamespace, visibility: Visibility): Visibility {
  return target.group ? minVisibility(visibility, target.visibility) : visibility;
}

/** Derives a path from a name: lower case, with `-` for blanks and for other characters that are not allowed. */
export function derivePath(name: string): string {
  const foldedName = foldCase(name.normalize('NFKD').replace(/\p{M}/gu, ''));
  return trimCharacters(foldedName.replace(/[^a-z0-9_.-]+/g, '-').replace(/-{2,}/g, '-'), '-.');
}

/** The name and path that a project is to get. Both are unique in a namespace, which unique indexes enforce. */
interface NameAndPath {
  readonly namespaceId: number;
  readonly name: string;
  readonly fullPath: string;
  /** Id of the updated project: its own name and path do not count as taken. */
  readonly projectId?: number;
}

const TAKEN_ERRORS = ['has already been taken'];

/** Returns errors for a name or path that another project has, or null if both are free. */
export async function findTakenFields(
  db: Reader,
  { namespaceId, name, fullPath, projectId = 0 }: NameAndPath,
): Promise<FieldErrors | null> {
  // index: projects_by_name_key
  const projectWithName = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', namespaceId)
    .where('name_key', '=', foldCase(name))
    .where('id', '<>', projectId)
    .executeTakeFirst();
  // index: routes_by_full_path
  const routeWithPath = await db
    .selectFrom('routes')
    .select('project_id')
    .where('full_path_key', '=', foldCase(fullPath))
    .executeTakeFirst();
  return compactFieldErrors({
    name: projectWithName ? TAKEN_ERRORS : [],
    path: routeWithPath && routeWithPath.project_id !== projectId ? TAKEN_ERRORS : [],
  });
}

/** The errors for a name or path that a concurrent request has taken. */
export const PROJECT_UNIQUE_ERRORS = {
  projects_by_name_key: invalid({ name: TAKEN_ERRORS }),
  routes_by_full_path: invalid({ path: TAKEN_ERRORS }),
} as const;
