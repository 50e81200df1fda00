import { createHash } from 'node:crypto';

const LONGEST = 24;
/** Of a slug that is not its name: so much of it, and so much of what tells it from others that look alike. */
const KEPT = 17;
const SUFFIX = 6;

/**
 * What an environment is called in host names: at most 24 of `a-z0-9-`, beginning with a letter, not ending with `-`
 * (contract/environments.md "Slug"). Pure, and so the same for the same name for ever.
 */
export function slugOf(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '-');
  const slug = (/^[a-z]/.test(plain) ? plain : `env-${plain}`).replace(/-+/g, '-');
  if (slug.length <= LONGEST && slug === name) return slug.endsWith('-') ? slug.slice(0, -1) : slug;
  const kept = slug.slice(0, KEPT);
  return `${kept}${kept.endsWith('-') ? '' : '-'}${suffixOf(name)}`;
}

/** The last digits of SHA-256 of the name, read as one number and written with 36 digits. */
function suffixOf(name: string): string {
  const digest = BigInt(`0x${createHash('sha256').update(name).digest('hex')}`);
  return digest.toString(36).slice(-SUFFIX);
}
