import { hash } from 'node:crypto';
import type { ParsedEvent } from './event-reader.ts';

/** Groups reports of the same error (contract/monitoring.md §12 "Grouping"). Pure. */

type GroupingFields = Pick<
  ParsedEvent,
  'type' | 'name' | 'message' | 'template' | 'culprit' | 'platform' | 'fingerprint'
>;

/** Placeholder in an SDK's fingerprint for the parts of the default grouping. */
const DEFAULT_PLACEHOLDER = /^\{\{\s*default\s*\}\}$/;

/** Returns the SHA-1 of the grouping parts, 40 hex digits. Reports with the same hash belong to the same error. */
export function getGroupHash(event: GroupingFields): string {
  return hash('sha1', JSON.stringify(getGroupingParts(event)));
}

function getGroupingParts(event: GroupingFields): readonly (string | null)[] {
  if (event.fingerprint.length === 0) return defaultParts(event);
  return event.fingerprint.flatMap((part) => (DEFAULT_PLACEHOLDER.test(part) ? defaultParts(event) : part));
}

/**
 * The message of an exception often names the affected object, which would split one error into many. It is used only if
 * the culprit is unknown.
 */
function defaultParts({
  type,
  name,
  message,
  template,
  culprit,
  platform,
}: GroupingFields): readonly (string | null)[] {
  return type === 'error' ? ['exception', name, culprit ?? message, platform] : ['message', template, platform];
}
