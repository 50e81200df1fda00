import type { Incoming } from '#http/request/incoming.ts';
import type { Log } from '#runtime/log.ts';
import type { Metrics } from '#runtime/metrics.ts';
import { redactUrl } from '#security/redaction.ts';

/** The status of a request whose client went away before there was an answer, under the number that nginx gives it. */
export const CLIENT_GONE = 499;

interface Done {
  /** The endpoint's name, or who has answered in its place. */
  readonly endpoint: string;
  readonly status: number;
  /** When it began, as `performance.now()`. */
  readonly started: number;
}

/** Tells the log and the metrics of a request that is done. */
export function tell(
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
  request: Incoming,
  { endpoint, status, started }: Done,
): void {
  const seconds = (performance.now() - started) / 1000;
  metrics.request({ endpoint, method: request.method, status, seconds });
  log.request({
    request: request.id,
    method: request.method,
    url: redactUrl(request.query === '' ? request.path : `${request.path}?${request.query}`),
    endpoint,
    status,
    milliseconds: Math.round(seconds * 1000),
    address: request.clientAddress,
  });
}
