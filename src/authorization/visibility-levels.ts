import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Visibility } from '#database/tables/domain.ts';
import type { ApplicationSettings } from '#settings/settings.ts';

export type { FeatureLevel, Visibility } from '#database/tables/domain.ts';

export const VISIBILITIES = ['private', 'internal', 'public'] as const;

/** Names in audit events. */
export const VISIBILITY_NAMES = { private: 'Private', internal: 'Internal', public: 'Public' } as const;

/** Returns the rank of a visibility level; more visible is greater. */
export function visibilityRank(visibility: Visibility): number {
  return VISIBILITIES.indexOf(visibility);
}

/** Returns the less visible of two levels: a child is never more visible than its parent. */
export function lessVisible(a: Visibility, b: Visibility): Visibility {
  return visibilityRank(a) <= visibilityRank(b) ? a : b;
}

/** Returns error texts for a level that the instance restricts to administrators (contract/conventions.md §11). */
export function validateUnrestricted(
  caller: Caller,
  visibility: Visibility,
  { restricted_visibility_levels }: VisibilitySettings,
): string[] {
  if (isAdministrator(caller) || !restricted_visibility_levels.includes(visibility)) return [];
  return [`${visibility} has been restricted by your administrator`];
}

/** Returns this level, or the most visible lower level that is not restricted for the caller. */
export function mostVisibleAllowed(
  caller: Caller,
  requestedLevel: Visibility,
  settings: VisibilitySettings,
): Visibility {
  const allowed = VISIBILITIES.filter((level) => validateUnrestricted(caller, level, settings).length === 0);
  return allowed.filter((level) => visibilityRank(level) <= visibilityRank(requestedLevel)).at(-1) ?? 'private';
}

type VisibilitySettings = Pick<ApplicationSettings, 'restricted_visibility_levels'>;
