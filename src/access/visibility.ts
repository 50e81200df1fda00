import type { Visibility } from '../database/tables/access.ts';

export type { FeatureLevel, Visibility } from '../database/tables/access.ts';

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
