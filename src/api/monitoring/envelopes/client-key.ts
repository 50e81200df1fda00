import { parseForm } from '#http/parameters/brackets.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';

/** Extracts the client key from a request (contract/monitoring.md §10 "Key"). */

/** Returns the client key from the headers or the query, or null if there is none. */
export function findClientKey({ headers, query }: Pick<IncomingRequest, 'headers' | 'query'>): string | null {
  const headerKeys = [headers['x-sentry-auth'], headers.authorization].map((header) =>
    parseAuthHeader(firstHeader(header) ?? ''),
  );
  const { sentry_key } = parseForm(query);
  const queryKey = typeof sentry_key === 'string' ? sentry_key : '';
  return headerKeys.find((key) => key !== null) ?? (queryKey || null);
}

/** Parses `Sentry sentry_version=7, sentry_key=K`. The scheme is optional, and the order of the pairs does not matter. Returns the key, or null. */
function parseAuthHeader(header: string): string | null {
  const pairs = header.replace(/^\s*sentry\s+/i, '').split(',');
  for (const pair of pairs) {
    const [name = '', ...valueParts] = pair.split('=');
    const key = valueParts.join('=').trim();
    if (name.trim() === 'sentry_key' && key !== '') return key;
  }
  return null;
}

/** Returns the key (the DSN's user name) and the project id (the last segment of its path), or null if it has no key. */
export function parseDsn(dsn: unknown): { readonly key: string; readonly project: string } | null {
  const url = typeof dsn === 'string' ? URL.parse(dsn) : null;
  if (url === null || url.username === '') return null;
  return { key: url.username, project: url.pathname.split('/').at(-1) ?? '' };
}
