import type { EnvironmentTier } from '#database/tables/environments.ts';

export const TIERS = ['production', 'staging', 'testing', 'development', 'other'] as const;

/** The first that a name has a part of, wherever it stands. */
const PARTS: readonly (readonly [EnvironmentTier, RegExp])[] = [
  ['development', /dev|review|trunk/i],
  ['testing', /test|tst|int|acpt|accept|qa|qc|control|quality/i],
  ['staging', /stg|stag|modl|model|pre|demo|non/i],
  ['production', /prd|prod|live/i],
];

/** What an environment is probably for, by its name (contract/environments.md "Tier guess"). Pure. */
export function guessTier(name: string): EnvironmentTier {
  return PARTS.find(([, part]) => part.test(name))?.[0] ?? 'other';
}
