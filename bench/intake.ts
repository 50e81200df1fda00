// `node bench/intake.ts [postgres://...]`: alerts and reports of errors from fifty connections, each beside a bare INSERT of the
// same body with the same durability, the alerts once more behind 10,000 that are open; then what a storm has left in memory.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, inTurns, measure } from './load.ts';
import { type Running, startHearth, startIntakeFloor } from './processes.ts';
import { SEED_TOKEN } from './seed.ts';

const ROUNDS = 5;
const REQUESTS = 3000;
const CONNECTIONS = 50;
const OPEN = 10_000;
/** Milliseconds after which a server that nobody asks has given back what it had for its load. */
const QUIET = 25_000;

const asRoot = { 'PRIVATE-TOKEN': SEED_TOKEN, 'Content-Type': 'application/json' };

const say = (name: string, text: string) => process.stdout.write(`${name.padEnd(28)} ${text}\n`);

/** No two are alike, from one round to the next. */
let sent = 0;

const alertOf = (title: string) =>
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

function envelopeOf(index: number): string {
  const event_id = (++sent).toString(16).padStart(32, '0');
  const exception = { values: [{ type: 'ZeroDivisionError', value: `division ${index}`, stacktrace: { frames } }] };
  const event = { event_id, title: 'x', platform: 'python', level: 'error', environment: 'production', exception };
  return `${JSON.stringify({ event_id })}\n${JSON.stringify({ type: 'event' })}\n${JSON.stringify(event)}\n`;
}

interface Asked {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function made({ address }: Running): Promise<{ alerts: Asked; reports: Asked }> {
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
  };
}

async function compare(
  name: string,
  { hearth, floor }: { readonly hearth: Running; readonly floor: Running },
  { url, headers }: Asked,
  body: (index: number) => string,
): Promise<void> {
  const load = { method: 'POST', headers, body, requests: REQUESTS, connections: CONNECTIONS };
  const bare = () => measure({ ...load, url: `${floor.address}/insert` });
  await measure({ ...load, url, requests: 500 });
  await hearth.longestTurn();
  const before = [hearth.computed(), floor.computed()] as const;
  const measured = await inTurns(ROUNDS, () => measure({ ...load, url }), bare);
  const [ours, theirs] = [hearth.computed() - before[0], floor.computed() - before[1]].map((all) =>
    ((all / ROUNDS / REQUESTS) * 1000).toFixed(0),
  );
  const turn = (await hearth.longestTurn()).toFixed(0);
  say(name, `${describe(measured)}; computed ${ours} us, floor ${theirs} us; longest turn ${turn} ms`);
}

async function run(dataDir: string, url: string | undefined): Promise<void> {
  const env = { HEARTH_ROOT_TOKEN: SEED_TOKEN, HEARTH_ROOT_PASSWORD: 'bench-password-1' };
  const hearth = await startHearth(dataDir, { ...env, ...(url ? { HEARTH_DATABASE_URL: url } : {}) });
  const floor = await startIntakeFloor(dataDir, url);
  try {
    const both = { hearth, floor };
    const { alerts, reports } = await made(hearth);
    const idle = hearth.memory();
    await compare('alerts, all alike', both, alerts, () => alertOf('Disk almost full'));
    await compare('alerts, all different', both, alerts, () => alertOf(`Disk ${++sent} almost full`));
    const open = { method: 'POST', headers: alerts.headers, url: alerts.url, requests: OPEN, connections: CONNECTIONS };
    await measure({ ...open, body: () => alertOf(`Disk ${++sent} almost full`) });
    await compare(`the same, ${OPEN} more open`, both, alerts, () => alertOf(`Disk ${++sent} almost full`));
    await compare('reports of one error', both, reports, envelopeOf);
    const loaded = hearth.memory();
    await pause(QUIET);
    const [before, after, later] = [idle, loaded, hearth.memory()].map((memory) => `${memory.toFixed(0)} MiB`);
    say('memory', `before ${before}, after load ${after}, quiet again ${later}`);
  } finally {
    await floor.stop();
    await hearth.stop();
  }
}

const place = mkdtempSync(join(tmpdir(), 'hearth-intake-'));
try {
  await run(join(place, 'data'), process.argv[2]);
} finally {
  rmSync(place, { recursive: true, force: true });
}
