import type { Tier } from '#config.ts';

/** Data of the server that serialization uses. */
export interface ServerContext {
  /** The tier of this server (contract/conventions.md §11). */
  readonly tier: Tier;
  /** The base of absolute URLs, without a trailing slash. */
  readonly url: string;
  /** The name of this instance. */
  readonly instanceName: string;
  /** The name of this server among replication sites (contract/operations.md §3.1). */
  readonly siteName: string;
  /** The current time, ISO 8601. A response that uses it is not cached; for the date use `db.today`. */
  readonly now: string;
}

/** Returns the path of the server's URL without a trailing slash; usually empty. */
export function getPathPrefix(baseUrl: string): string {
  return URL.parse(baseUrl)?.pathname.replace(/\/$/, '') ?? '';
}

/** Returns the path of a page of this server for links, forms and redirects, independent of the host name. */
export function localUrl({ baseUrl }: { readonly baseUrl: string }, path: string): string {
  return getPathPrefix(baseUrl) + path;
}
