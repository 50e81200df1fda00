import type { Running } from './processes.ts';
import { SEED_TOKEN } from './seed.ts';

// The payloads and URLs of monitoring clients.

const asRoot = { 'PRIVATE-TOKEN': SEED_TOKEN, 'Content-Type': 'application/json' };

/** All payloads differ, also between rounds. */
let sent = 0;

export const another = () => ++sent;

export const alertOf = (title: string) =>
  JSON.stringify({
    title,
    description: 'The file system on /var is almost full: 97 % of 512 GiB are in use, and it grows by 2 GiB an hour.',
    service: 'database',
    monitoring_tool: 'Datadog',
    hosts: ['db1.example.com', 'db2.example.com'],
    severity: 'high',
    extra: {
      threshold: 95,
      value: 97,
      tags: ['env:production', 'team:storage'],
      runbook: 'https://example.com/runbook',
    },
  });

const frames = Array.from({ length: 12 }, (_, lineno) => ({
  function: `function_${lineno}`,
  module: 'polls.views',
  filename: 'polls/views.py',
  lineno,
  context_line: '    return 1 / 0',
  in_app: true,
}));

export function envelopeOf(index: number): string {
  const event_id = another().toString(16).padStart(32, '0');
  const exception = { values: [{ type: 'ZeroDivisionError', value: `division ${index}`, stacktrace: { frames } }] };
  const event = { event_id, title: 'x', platform: 'python', level: 'error', environment: 'production', exception };
  return `${JSON.stringify({ event_id })}\n${JSON.stringify({ type: 'event' })}\n${JSON.stringify(event)}\n`;
}

export interface Asked {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A project that accepts alerts and error reports without a rate limit. */
export async function watchedProject({ address }: Running): Promise<{ alerts: Asked; reports: Asked; project: Asked }> {
  const post = async (path: string, body: object) => {
    const options = { method: 'POST', headers: asRoot, body: JSON.stringify(body) };
    const answer = await fetch(`${address}/api/v4${path}`, options);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  };
  const { id } = await post('/projects', { name: 'watched' });
  const { url, token } = await post(`/projects/${id}/alert_integrations`, { name: 'Bench' });
  const { public_key } = await post(`/projects/${id}/error_tracking/client_keys`, {});
  const limit = { method: 'PUT', headers: asRoot, body: '{"events_per_minute":1000000}' };
  await fetch(`${address}/api/v4/projects/${id}/error_tracking/ingestion_settings`, limit);
  const key = `sentry_version=7&sentry_key=${public_key}`;
  return {
    alerts: {
      url: `${address}${new URL(url!).pathname}`,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    },
    reports: {
      url: `${address}/api/${id}/envelope/?${key}`,
      headers: { 'Content-Type': 'application/x-sentry-envelope' },
    },
    project: { url: `${address}/api/v4/projects/${id}`, headers: asRoot },
  };
}
