import { createHash } from 'node:crypto';

const MAX_LENGTH = 24;
/** Lengths of the prefix and the hash suffix of a slug that differs from its name. */
const PREFIX_LENGTH = 17;
const SUFFIX_LENGTH = 6;

/**
 * Creates the slug of an environment for host names: at most 24 characters of `a-z0-9-`, starting with a letter, not ending
 * with `-` (contract/environments.md "Slug"). Pure and deterministic.
 */
export function createSlug(name: string): string {
  const sanitizedName = name.toLowerCase().replace(/[^a-z0-9]/g, '-');
  const slug = (/^[a-z]/.test(sanitizedName) ? sanitizedName : `env-${sanitizedName}`).replace(/-+/g, '-');
  // A name that already has the form of a slug needs no hash.
  if (slug.length <= MAX_LENGTH && slug === name) return slug.endsWith('-') ? slug.slice(0, -1) : slug;
  const prefix = slug.slice(0, PREFIX_LENGTH);
  return `${prefix}${prefix.endsWith('-') ? '' : '-'}${createHashSuffix(name)}`;
}

/** Returns the last base-36 digits of the SHA-256 hash of the name. */
function createHashSuffix(name: string): string {
  const digest = BigInt(`0x${createHash('sha256').update(name).digest('hex')}`);
  return digest.toString(36).slice(-SUFFIX_LENGTH);
}
