import type { Session } from '../session.ts';
import { quoteForShell } from '../text/shell.ts';
import type { CallRecord } from './call.ts';

// The calls of a page, as the request inspector shows them.

/** Maximum number of calls that are shown: a page that is open for days reads every few seconds. */
const MAX_RECORDS = 200;

/** Returns the records with a new one, without the oldest ones. */
export const addRecord = (records: readonly CallRecord[], record: CallRecord): readonly CallRecord[] => [
  ...records.slice(1 - MAX_RECORDS),
  record,
];

/** Returns the `curl` command that repeats a call. The token is the shell variable `$TOKEN`; the values of forms are left out. */
export function toCommand(
  { method, url, body }: CallRecord,
  { origin, basePath }: Pick<Session, 'origin' | 'basePath'>,
): string {
  const parts = ['curl', ...(method === 'GET' ? [] : ['--request', method]), '--header', '"PRIVATE-TOKEN: $TOKEN"'];
  if (typeof body === 'string') parts.push('--json', quoteForShell(body));
  else for (const field of body ?? []) parts.push('--form', quoteForShell(`${field}=...`));
  return [...parts, quoteForShell(`${origin}${basePath}${url}`)].join(' ');
}
