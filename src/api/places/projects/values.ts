import { narrower, widestAllowed } from '../../../access/visibility.ts';
import { foldCase } from '../../../database/keys.ts';
import type { Visibility } from '../../../database/tables/access.ts';
import { trimmed } from '../../../ends.ts';
import { validBranchName } from '../../../git/refs.ts';
import type { Caller } from '../../../identity/caller.ts';
import type { FieldErrors } from '../../../refused.ts';
import type { ApplicationSettings } from '../../../settings/settings.ts';
import type { AttributeValues } from './attributes.ts';
import { attributeErrors } from './sent-attributes.ts';
import type { Target } from './target.ts';

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
