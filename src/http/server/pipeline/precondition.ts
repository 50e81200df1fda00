import { preconditionFailed } from '#http/errors/http-error.ts';
import { parseDateTime } from '#http/parameters/types.ts';

/** Checks `If-Unmodified-Since` (contract/conventions.md §5, 412): an HTTP or ISO date; invalid ones are ignored. */
export function checkPrecondition(header: string, updatedAt: string | null): void {
  const limit = readHttpDate(header.trim());
  if (limit !== null && updatedAt !== null && Date.parse(updatedAt) > limit) throw preconditionFailed();
}

function readHttpDate(text: string): number | null {
  const iso = parseDateTime(text);
  if (iso !== null) return Date.parse(iso);
  if (!/^[A-Z][a-z]{2,8},? .* GMT$/.test(text)) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}
