import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, Reply, text } from '#http/endpoint/responses.ts';
import { optional } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import { Alive, checkReadiness, Readiness } from './readiness.ts';

/** Common to the three probes, which are not authenticated. */
const sharedDefinition = { access: open(), stageOrder: 'customAuthentication', body: 'raw', outsideApi: true } as const;
const NO_CACHE_HEADERS = { 'Cache-Control': 'no-cache' } as const;

export const getHealth = endpoint({
  get: '/-/health',
  summary: 'Get the health status',
  ...sharedDefinition,
  response: text,
  handle: () => new Reply('GitLab OK', { headers: { ...NO_CACHE_HEADERS, 'Content-Type': 'text/plain' } }),
});

export const getLiveness = endpoint({
  get: '/-/liveness',
  summary: 'Get the liveness status',
  ...sharedDefinition,
  response: ok(Alive),
  handle: () => new Reply({ status: 'ok' as const }, { headers: NO_CACHE_HEADERS }),
});

export const getReadiness = endpoint({
  get: '/-/readiness',
  summary: 'Get the readiness status',
  ...sharedDefinition,
  params: { all: optional(boolean, false) },
  response: ok(Readiness),
  async handle({ params }, services) {
    const readiness = await checkReadiness(services, params.all);
    return new Reply(readiness, { headers: NO_CACHE_HEADERS, status: readiness.status === 'ok' ? 200 : 503 });
  },
});

export const getMetrics = endpoint({
  get: '/-/metrics',
  summary: 'Get metrics in Prometheus format',
  access: open(),
  outsideApi: true,
  response: text,
  async handle(_call, { metrics }) {
    return new Reply(await metrics.text(), { headers: { 'Content-Type': metrics.contentType } });
  },
});
