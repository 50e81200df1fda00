import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Visibility } from '#database/schema.ts';
import type { ApplicationSettings } from '#settings/settings.ts';

export type { FeatureLevel, Visibility } from '#database/schema.ts';

/** Visibility levels, from the least to the most visible. */
export const VISIBILITIES = ['private', 'internal', 'public'] as const;

/** Display names of visibility levels in audit events. */
export const VISIBILITY_NAMES = { private: 'Private', internal: 'Internal', public: 'Public' } as const;

/** Returns the rank of a visibility level; a more visible level has a greater rank. */
export function getVisibilityRank(visibility: Visibility): number {
  return VISIBILITIES.indexOf(visibility);
}

/** Returns the less visible of two levels: a child is never more visible than its parent. */
export function minVisibility(a: Visibility, b: Visibility): Visibility {
  return getVisibilityRank(a) <= getVisibilityRank(b) ? a : b;
}

/** Returns an error text if the instance restricts the level to administrators, else no texts (contract/conventions.md §11). */
export function validateAllowedVisibility(
  caller: Caller,
  visibility: Visibility,
  { restricted_visibility_levels }: VisibilitySettings,
): string[] {
  if (isAdministrator(caller) || !restricted_visibility_levels.includes(visibility)) return [];
  return [`${visibility} has been restricted by your administrator`];
}

/** Returns the most visible unrestricted level up to `requestedLevel`; `private` if all are restricted for the caller. */
export function getWidestAllowedVisibility(
  caller: Caller,
  requestedLevel: Visibility,
  settings: VisibilitySettings,
): Visibility {
  const allowed = VISIBILITIES.filter((level) => validateAllowedVisibility(caller, level, settings).length === 0);
  return allowed.filter((level) => getVisibilityRank(level) <= getVisibilityRank(requestedLevel)).at(-1) ?? 'private';
}

type VisibilitySettings = Pick<ApplicationSettings, 'restricted_visibility_levels'>;
