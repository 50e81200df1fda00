import { parseForm } from '#http/parameters/brackets.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';

/** Where a report says which client key it comes with (contract/monitoring.md §10 "Key"). */

/** The key that stands in a header or in the query; null: there is none. */
export function keyOf({ headers, query }: Pick<IncomingRequest, 'headers' | 'query'>): string | null {
  const named = [headers['x-sentry-auth'], headers.authorization].map((header) => keyIn(firstHeader(header) ?? ''));
  const { sentry_key } = parseForm(query);
  const inQuery = typeof sentry_key === 'string' ? sentry_key : '';
  return named.find((key) => key !== null) ?? (inQuery || null);
}

/** `Sentry sentry_version=7, sentry_key=K`: the name in front may be missing, the pairs stand in any order. */
function keyIn(header: string): string | null {
  const pairs = header.replace(/^\s*sentry\s+/i, '').split(',');
  for (const pair of pairs) {
    const [name = '', ...value] = pair.split('=');
    const key = value.join('=').trim();
    if (name.trim() === 'sentry_key' && key !== '') return key;
  }
  return null;
}

/** The key in a DSN, and the last segment of its path, which names the project; null: it is none with a key. */
export function keyInDsn(dsn: unknown): { readonly key: string; readonly project: string } | null {
  const url = typeof dsn === 'string' ? URL.parse(dsn) : null;
  if (url === null || url.username === '') return null;
  return { key: url.username, project: url.pathname.split('/').at(-1) ?? '' };
}
