import type { Clock } from '../clock.ts';
import { timestamp } from '../clock.ts';
import { baseWithoutRequest, type Config } from '../config.ts';

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
