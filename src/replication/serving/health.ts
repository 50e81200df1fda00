import { readiness } from '#api/instance/health/index.ts';
import type { Incoming } from '#http/request/incoming.ts';
import type { Outgoing } from '#http/server/response/response.ts';
import type { Metrics } from '#runtime/metrics.ts';

/** What monitors ask is about this process, whoever its primary is (contract/conventions.md §10 "Health"); null: something else. */
export async function health(
  services: Parameters<typeof readiness>[0],
  metrics: Metrics,
  { method, path, query }: Incoming,
): Promise<Outgoing | null> {
  if (method !== 'GET' && method !== 'HEAD') return null;
  const plain = (type: string, body: string, status = 200) => ({
    status,
    headers: { 'Content-Type': type, 'Cache-Control': 'no-cache' },
    body,
  });
  switch (path) {
    case '/-/health':
      return plain('text/plain', 'GitLab OK');
    case '/-/liveness':
      return plain('application/json', '{"status":"ok"}');
    case '/-/readiness': {
      const found = await readiness(services, /(?:^|&)all=(?:1|true)(?:&|$)/.test(query));
      return plain('application/json', JSON.stringify(found), found.status === 'ok' ? 200 : 503);
    }
    case '/-/metrics':
      return plain(metrics.contentType, await metrics.text());
    default:
      return null;
  }
}
