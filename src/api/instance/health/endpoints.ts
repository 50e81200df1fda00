import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, Reply, text } from '#http/endpoint/responses.ts';
import { optional } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import { Alive, Readiness } from './entities.ts';
import { readiness } from './readiness.ts';

/** Nobody is asked who he is, and nothing is remembered of what was true a moment ago. */
const shared = { access: open(), order: 'ownCredentials', body: 'raw', root: true } as const;
const NOT_KEPT = { 'Cache-Control': 'no-cache' } as const;

export const readHealth = endpoint({
  get: '/-/health',
  summary: 'Does the process answer',
  ...shared,
  response: text,
  handle: () => new Reply('GitLab OK', { headers: { ...NOT_KEPT, 'Content-Type': 'text/plain' } }),
});

export const readLiveness = endpoint({
  get: '/-/liveness',
  summary: 'Is the process running',
  ...shared,
  response: ok(Alive),
  handle: () => new Reply({ status: 'ok' as const }, { headers: NOT_KEPT }),
});

export const readReadiness = endpoint({
  get: '/-/readiness',
  summary: 'Can the server serve',
  ...shared,
  params: { all: optional(boolean, false) },
  response: ok(Readiness),
  async handle({ params }, services) {
    const found = await readiness(services, params.all);
    return new Reply(found, { headers: NOT_KEPT, status: found.status === 'ok' ? 200 : 503 });
  },
});

export const readMetrics = endpoint({
  get: '/-/metrics',
  summary: 'Metrics in the format of Prometheus',
  access: open(),
  root: true,
  response: text,
  async handle(_call, { metrics }) {
    return new Reply(await metrics.text(), { headers: { 'Content-Type': metrics.contentType } });
  },
});
