import { hash } from 'node:crypto';
import type { ParsedEvent } from './event-reader.ts';

/** Groups reports of the same error (contract/monitoring.md §12 "Grouping"). Pure. */

type GroupingFields = Pick<
  ParsedEvent,
  'type' | 'name' | 'message' | 'template' | 'culprit' | 'platform' | 'fingerprint'
>;

/** Placeholder in an SDK's fingerprint; it is replaced by the parts of the default grouping. */
const DEFAULT_PLACEHOLDER = /^\{\{\s*default\s*\}\}$/;

/** Returns the SHA-1 of the grouping parts, 40 hex digits. Reports with the same hash belong to the same error. */
export function computeGroupHash(event: GroupingFields): string {
  return hash('sha1', JSON.stringify(getGroupingParts(event)));
}

/** Returns the SDK's fingerprint with its placeholders replaced, or the default parts if the SDK sent none. */
function getGroupingParts(event: GroupingFields): readonly (string | null)[] {
  if (event.fingerprint.length === 0) return getDefaultParts(event);
  return event.fingerprint.flatMap((part) => (DEFAULT_PLACEHOLDER.test(part) ? getDefaultParts(event) : part));
}

/**
 * Returns the parts of the default grouping. Those of an exception contain its message only if the culprit is unknown: a
 * message often names the affected object, which would split one error into many.
 */
function getDefaultParts({
  type,
  name,
  message,
  template,
  culprit,
  platform,
}: GroupingFields): readonly (string | null)[] {
  return type === 'error'
    ? ['exception', name, culprit === null ? message : removeUrlDetails(culprit), platform]
    : ['message', template, platform];
}

/**
 * Removes host and query from a script's URL in a culprit such as `pay(https://shop.example/app.js?v=2)`, as Sentry does: one
 * application has many addresses.
 */
function removeUrlDetails(culprit: string): string {
  const [, before, path] = /^([^(]*\()https?:\/\/[^/?#)]*([^?#)]*)[^)]*\)$/i.exec(culprit) ?? [];
  return before === undefined ? culprit : `${before}${path})`;
}
