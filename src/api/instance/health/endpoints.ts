import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, Reply, text } from '#http/endpoint/responses.ts';
import { describe, optional } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import { metricsAccess } from './metrics-access.ts';
import { Alive, checkReadiness, Readiness } from './readiness.ts';

/** Common to all four, which ignore API credentials. The probes are not authenticated. */
const sharedDefinition = { access: open(), stageOrder: 'customAuthentication', body: 'raw', outsideApi: true } as const;
const NO_CACHE_HEADERS = { 'Cache-Control': 'no-cache' } as const;

export const getHealth = endpoint({
  get: '/-/health',
  summary: 'Get the health status',
  description:
    'Returns the text `GitLab OK` while the process accepts requests. The database and other dependencies are not checked.',
  ...sharedDefinition,
  response: text,
  handle: () => new Reply('GitLab OK', { headers: { ...NO_CACHE_HEADERS, 'Content-Type': 'text/plain' } }),
});

export const getLiveness = endpoint({
  get: '/-/liveness',
  summary: 'Get the liveness status',
  description:
    'Returns `ok` while the process accepts requests. The database and other dependencies are not checked, so a failure means that the process should be restarted.',
  ...sharedDefinition,
  response: ok(Alive),
  handle: () => new Reply({ status: 'ok' as const }, { headers: NO_CACHE_HEADERS }),
});

export const getReadiness = endpoint({
  get: '/-/readiness',
  summary: 'Get the readiness status',
  description:
    'The response is 503 while the process starts or stops, if the database does not answer, or if the data directory cannot be written. With `all`, the database and each storage are listed too, and at least one storage must be available.',
  ...sharedDefinition,
  params: { all: describe(optional(boolean, false), 'Whether to check and list the database and the storages too.') },
  response: ok(Readiness),
  async handle({ params }, services) {
    const readiness = await checkReadiness(services, params.all);
    return new Reply(readiness, { headers: NO_CACHE_HEADERS, status: readiness.status === 'ok' ? 200 : 503 });
  },
});

export const getMetrics = endpoint({
  get: '/-/metrics',
  summary: 'Get metrics in Prometheus format',
  description:
    'Returns the metrics of this process only; each process of an instance has its own. With `HEARTH_METRICS_TOKEN`, ' +
    'clients send it as a bearer token.',
  ...sharedDefinition,
  access: metricsAccess(),
  response: text,
  async handle(_call, { metrics }) {
    return new Reply(await metrics.text(), { headers: { 'Content-Type': metrics.contentType } });
  },
});
