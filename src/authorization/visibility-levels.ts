import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Visibility } from '#database/tables/domain.ts';
import type { ApplicationSettings } from '#settings/settings.ts';

export type { FeatureLevel, Visibility } from '#database/tables/domain.ts';

/** Visibility levels, from the least to the most visible. */
export const VISIBILITIES = ['private', 'internal', 'public'] as const;

/** Display names of visibility levels in audit events. */
export const VISIBILITY_NAMES = { private: 'Private', internal: 'Internal', public: 'Public' } as const;

/** Returns the rank of a visibility level; a more visible level has a greater rank. */
export function visibilityRank(visibility: Visibility): number {
  return VISIBILITIES.indexOf(visibility);
}

/** Returns the less visible of two levels: a child is never more visible than its parent. */
export function lessVisible(a: Visibility, b: Visibility): Visibility {
  return visibilityRank(a) <= visibilityRank(b) ? a : b;
}

/** Returns an error text if the instance restricts the level to administrators, else no texts (contract/conventions.md §11). */
export function validateUnrestricted(
  caller: Caller,
  visibility: Visibility,
  { restricted_visibility_levels }: VisibilitySettings,
): string[] {
  if (isAdministrator(caller) || !restricted_visibility_levels.includes(visibility)) return [];
  return [`${visibility} has been restricted by your administrator`];
}

/** Returns the most visible unrestricted level up to `requestedLevel`; `private` if all are restricted for the caller. */
export function mostVisibleAllowed(
  caller: Caller,
  requestedLevel: Visibility,
  settings: VisibilitySettings,
): Visibility {
  const allowed = VISIBILITIES.filter((level) => validateUnrestricted(caller, level, settings).length === 0);
  return allowed.filter((level) => visibilityRank(level) <= visibilityRank(requestedLevel)).at(-1) ?? 'private';
}

type VisibilitySettings = Pick<ApplicationSettings, 'restricted_visibility_levels'>;
