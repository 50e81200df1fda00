import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Log } from '#runtime/log.ts';
import type { Metrics } from '#runtime/metrics.ts';
import { redactUrl } from '#security/redaction.ts';

/** The logged status of a request whose client disconnected before the response; nginx uses the same number. */
export const CLIENT_DISCONNECTED = 499;

interface CompletedRequest {
  /** Name of the endpoint; `none` if the server rejected the request before routing. */
  readonly endpoint: string;
  readonly status: number;
  /** The start, as `performance.now()`. */
  readonly startedAt: number;
}

/** Records a completed request in the log and the metrics. */
export function recordRequest(
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
  request: IncomingRequest,
  { endpoint, status, startedAt }: CompletedRequest,
): void {
  const seconds = (performance.now() - startedAt) / 1000;
  metrics.recordRequest({ endpoint, method: request.method, status, seconds });
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
