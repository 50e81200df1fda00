import type { Caller } from '#authentication/caller.ts';
import { narrower, widestAllowed } from '#authorization/visibility-levels.ts';
import { foldCase } from '#database/name-keys.ts';
import type { Visibility } from '#database/tables/domain.ts';
import { validBranchName } from '#git/refs/refs.ts';
import type { FieldErrors } from '#runtime/failure.ts';
import type { ApplicationSettings } from '#settings/settings.ts';
import { trimmed } from '#text/trim.ts';
import type { AttributeValues } from './attributes/attributes.ts';
import { attributeErrors } from './attributes/input-attributes.ts';
import type { Target } from './creation/target-namespace.ts';

/** What a project's values may be (contract/planning.md §3.3). Pure. */

/** What is wrong with what was sent, names and visibility apart. */
export function valueErrors(sent: AttributeValues, storages: readonly string[]): FieldErrors {
  const { repository_storage: storage } = sent;
  const unknownStorage = storage != null && !storages.includes(storage);
  return { ...attributeErrors(sent), repository_storage_moves: unknownStorage ? ['is invalid'] : [] };
}

export function branchErrors(branch: string | null | undefined): FieldErrors {
  return { default_branch: branch == null || validBranchName(branch) ? [] : ['is not a valid branch name'] };
}

/** A new project without a choice: the instance's default, or the widest narrower one that is not restricted. */
export function defaultVisibility(caller: Caller, settings: ApplicationSettings): Visibility {
  return widestAllowed(caller, settings.default_project_visibility, settings);
}

/** Inside a group a project is at most as visible as the group. */
export function visibilityIn(target: Target, visibility: Visibility): Visibility {
  return target.group ? narrower(visibility, target.visibility) : visibility;
}

/** Lower case, blanks to `-`; whatever else no path can hold becomes `-` as well. */
export function pathFromName(name: string): string {
  const plain = foldCase(name.normalize('NFKD').replace(/\p{M}/gu, ''));
  return trimmed(plain.replace(/[^a-z0-9_.-]+/g, '-').replace(/-{2,}/g, '-'), '-.');
}

/** Topics as they are kept: each once, without blank ones. */
export function cleanTopics(topics: readonly string[]): string[] {
  return [...new Set(topics.map((topic) => topic.trim()))].filter((topic) => topic !== '');
}
