import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Visibility } from '#database/tables/domain.ts';
import type { ApplicationSettings } from '#settings/settings.ts';

export type { FeatureLevel, Visibility } from '#database/tables/domain.ts';

export const VISIBILITIES = ['private', 'internal', 'public'] as const;

/** As the history calls them. */
export const VISIBILITY_NAMES = { private: 'Private', internal: 'Internal', public: 'Public' } as const;

/** More visible means greater. */
export function openness(visibility: Visibility): number {
  return VISIBILITIES.indexOf(visibility);
}

/** The less visible of two: a child is never more visible than its parent. */
export function narrower(a: Visibility, b: Visibility): Visibility {
  return openness(a) <= openness(b) ? a : b;
}

/** What is wrong with a level that the instance restricts to administrators (contract/conventions.md §11). */
export function restrictedErrors(
  caller: Caller,
  visibility: Visibility,
  { restricted_visibility_levels }: Restricting,
): string[] {
  if (isAdministrator(caller) || !restricted_visibility_levels.includes(visibility)) return [];
  return [`${visibility} has been restricted by your administrator`];
}

/** This level, or the widest narrower one that the instance does not restrict for the caller. */
export function widestAllowed(caller: Caller, wanted: Visibility, settings: Restricting): Visibility {
  const allowed = VISIBILITIES.filter((level) => restrictedErrors(caller, level, settings).length === 0);
  return allowed.filter((level) => openness(level) <= openness(wanted)).at(-1) ?? 'private';
}

type Restricting = Pick<ApplicationSettings, 'restricted_visibility_levels'>;
