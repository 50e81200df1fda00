import { hash } from 'node:crypto';
import type { ReadEvent } from './event-reader.ts';

/** Which reports are alike (contract/monitoring.md §12 "Grouping"): pure. */

type Grouped = Pick<ReadEvent, 'type' | 'name' | 'message' | 'template' | 'culprit' | 'platform' | 'fingerprint'>;

/** What stands in an SDK's fingerprint for the parts of the default one. */
const DEFAULT = /^\{\{\s*default\s*\}\}$/;

/** SHA-1 of what makes reports alike, 40 hex digits. */
export function groupOf(event: Grouped): string {
  return hash('sha1', JSON.stringify(partsOf(event)));
}

function partsOf(event: Grouped): readonly (string | null)[] {
  if (event.fingerprint.length === 0) return defaultParts(event);
  return event.fingerprint.flatMap((part) => (DEFAULT.test(part) ? defaultParts(event) : part));
}

/** The message often says which object it was: it counts where nothing else says where. */
function defaultParts({ type, name, message, template, culprit, platform }: Grouped): readonly (string | null)[] {
  return type === 'error' ? ['exception', name, culprit ?? message, platform] : ['message', template, platform];
}
