import { randomInt } from 'node:crypto';
import { narrower, openness, restrictedErrors, VISIBILITIES } from '../../../access/visibility.ts';
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
  const { default_project_visibility: wanted } = settings;
  const allowed = VISIBILITIES.filter((level) => restrictedErrors(caller, level, settings).length === 0);
  return allowed.filter((level) => openness(level) <= openness(wanted)).at(-1) ?? 'private';
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

/** Where a new repository goes: a weighted choice among the configured storages; without any weight each is as likely. */
export function chooseStorage(storages: readonly string[], weights: Readonly<Record<string, number>>): string {
  const weighted = storages.map((name) => ({ name, weight: weights[name] ?? 0 }));
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return storages[randomInt(storages.length)] as string;
  let at = randomInt(total);
  for (const { name, weight } of weighted) {
    if (at < weight) return name;
    at -= weight;
  }
  throw new Error('The weights of the storages do not add up');
}
