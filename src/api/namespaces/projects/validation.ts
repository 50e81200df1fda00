import type { Caller } from '#authentication/caller.ts';
import { getWidestAllowedVisibility, minVisibility } from '#authorization/visibility.ts';
import { foldCase } from '#database/name-keys.ts';
import type { Visibility } from '#database/schema.ts';
import { isValidBranchName } from '#git/refs/refs.ts';
import type { FieldErrors } from '#runtime/failure.ts';
import type { ApplicationSettings } from '#settings/settings.ts';
import { trimCharacters } from '#text/trim.ts';
import type { ProjectAttributeInput } from './attributes/attributes.ts';
import { validateAttributes } from './attributes/input-attributes.ts';
import type { TargetNamespace } from './creation/target-namespace.ts';

/** Validation of a project's attributes (contract/planning.md §3.3). Pure. */

/** Returns the errors of the attributes, apart from name, path and visibility. */
export function validateValues(input: ProjectAttributeInput, storages: readonly string[]): FieldErrors {
  const { repository_storage: storage } = input;
  const unknownStorage = storage != null && !storages.includes(storage);
  return { ...validateAttributes(input), repository_storage_moves: unknownStorage ? ['is invalid'] : [] };
}

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
