import { checkReadiness } from '#api/instance/health/index.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { OutgoingResponse } from '#http/server/response/response.ts';
import type { Metrics } from '#runtime/metrics.ts';
import { collapseSlashes } from '#text/trim.ts';

/**
 * Answers health checks, which concern this process and not the primary (contract/conventions.md §10 "Health"); null
 * for other requests.
 */
export async function serveHealth(
  services: Parameters<typeof checkReadiness>[0],
  metrics: Metrics,
  { method, path, query }: IncomingRequest,
): Promise<OutgoingResponse | null> {
  if (method !== 'GET' && method !== 'HEAD') return null;
  const createResponse = (type: string, body: string, status = 200) => ({
    status,
    headers: { 'Content-Type': type, 'Cache-Control': 'no-cache' },
    body,
  });
  switch (collapseSlashes(path)) {
    case '/-/health':
      return createResponse('text/plain', 'GitLab OK');
    case '/-/liveness':
      return createResponse('application/json', '{"status":"ok"}');
    case '/-/readiness': {
      const readiness = await checkReadiness(services, /(?:^|&)all=(?:1|true)(?:&|$)/.test(query));
      return createResponse('application/json', JSON.stringify(readiness), readiness.status === 'ok' ? 200 : 503);
    }
    case '/-/metrics':
      return createResponse(metrics.contentType, await metrics.text());
    default:
      return null;
  }
}
