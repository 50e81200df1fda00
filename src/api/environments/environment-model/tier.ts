import type { EnvironmentTier } from '#database/schema.ts';

export const ENVIRONMENT_TIERS = ['production', 'staging', 'testing', 'development', 'other'] as const;

/** Patterns of names by tier, in order of precedence. */
const TIER_PATTERNS: readonly (readonly [EnvironmentTier, RegExp])[] = [
  ['development', /dev|review|trunk/i],
  ['testing', /test|tst|int|acpt|accept|qa|qc|control|quality/i],
  ['staging', /stg|stag|modl|model|pre|demo|non/i],
  ['production', /prd|prod|live/i],
];

/** Guesses the tier of an environment by its name (contract/environments.md "Tier guess"). Pure. */
export function guessTier(name: string): EnvironmentTier {
  return TIER_PATTERNS.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other';
}
