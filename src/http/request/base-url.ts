import type { Tier } from '#config.ts';

/** What wire shapes need besides rows. */
export interface Base {
  /** What this server offers (contract/conventions.md §11). */
  readonly tier: Tier;
  /** Base of every absolute URL, without a slash at the end. */
  readonly url: string;
  /** The name of this instance. */
  readonly instance: string;
  /** What this server is called among replication sites (contract/operations.md §3.1). */
  readonly site: string;
  /** The present moment, ISO 8601. Whatever asks for it is made anew for each request; the day is `db.today`. */
  readonly now: string;
}

/** The path that the server's address ends in, without a slash at the end: empty for most. */
export function pathPrefix(baseUrl: string): string {
  return URL.parse(baseUrl)?.pathname.replace(/\/$/, '') ?? '';
}

/** Where a page of this server is, for links, forms and redirects: a path with its query, whatever the host is called. */
export function localUrl({ baseUrl }: { readonly baseUrl: string }, path: string): string {
  return pathPrefix(baseUrl) + path;
}
