import type { Clock } from '../../clock.ts';
import { timestamp } from '../../clock.ts';
import { baseWithoutRequest, type Config } from '../../config.ts';

/** What wire shapes need besides rows. */
export interface Base {
  /** Base of every absolute URL, without a slash at the end. */
  readonly url: string;
  /** The name of this instance. */
  readonly instance: string;
  /** The present moment, ISO 8601. */
  readonly now: string;
}

export function baseFor(request: { readonly baseUrl: string }, rooms: { config: Config; clock: Clock }): Base {
  return { url: request.baseUrl, instance: instanceName(rooms.config), now: timestamp(rooms.clock) };
}

function instanceName(config: Config): string {
  return config.siteName ?? baseWithoutRequest(config);
}

/** The path that the server's address ends in, without a slash at the end: empty for most. */
export function pathPrefix(baseUrl: string): string {
  return URL.parse(baseUrl)?.pathname.replace(/\/$/, '') ?? '';
}

/** Where a page of this server is, for links, forms and redirects: a path with its query, whatever the host is called. */
export function localUrl({ baseUrl }: { readonly baseUrl: string }, path: string): string {
  return pathPrefix(baseUrl) + path;
}
