import { preconditionFailed } from '#http/errors/http-error.ts';
import { parseDateTime } from '#http/parameters/types.ts';

/**
 * Throws 412 for a resource that changed after `If-Unmodified-Since` (contract/conventions.md §5). Ignores invalid
 * dates.
 */
export function checkPrecondition(header: string, updatedAt: string | null): void {
  const unmodifiedSince = parseHttpDate(header.trim());
  if (unmodifiedSince !== null && updatedAt !== null && Date.parse(updatedAt) > unmodifiedSince)
    throw preconditionFailed();
}

/** Returns the Unix time in milliseconds of an HTTP or ISO date, or null if it is invalid. */
function parseHttpDate(text: string): number | null {
  const iso = parseDateTime(text);
  if (iso !== null) return Date.parse(iso);
  if (!/^[A-Z][a-z]{2,8},? .* GMT$/.test(text)) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}
