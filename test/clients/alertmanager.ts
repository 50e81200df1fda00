// Drives a Hearth server with Prometheus' Alertmanager as whoever watches machines would: one line a step.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { api, step } from './step.ts';

const project = '/projects/root%2Fwatched';
const program = process.env.CLIENT || '/usr/bin/prometheus-alertmanager';
const place = mkdtempSync(join(tmpdir(), 'hearth-alertmanager-'));

interface Integration {
  readonly id: number;
  readonly url: string;
  readonly token: string;
}
interface Alert {
  readonly iid: number;
  readonly title: string;
  readonly status: string;
  readonly ended_at: string | null;
  readonly event_count: number;
  readonly [field: string]: unknown;
}

async function json<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await api(method, path, body);
  assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
  return (await answer.json()) as T;
}

await json('POST', '/projects', { name: 'watched' });
const create = (params: object) =>
  json<Integration>('POST', `${project}/alert_integrations`, { type: 'prometheus', ...params });
const own = await create({ name: 'Prometheus in Köln' });
const legacy = await create({ name: 'Old Prometheus', legacy: true });

const basic = (password: string) => ({ http_config: { basic_auth: { username: 'prometheus', password } } });
const receiver = (name: string, url: string, more: object) => ({ name, webhook_configs: [{ url, ...more }] });
const config = {
  route: {
    receiver: 'own',
    group_by: ['alertname'],
    group_wait: '0s',
    group_interval: '1s',
    repeat_interval: '1h',
    routes: [
      { receiver: 'legacy', matchers: ['team="legacy"'] },
      { receiver: 'in-url', matchers: ['team="in-url"'] },
      { receiver: 'wrong', matchers: ['team="wrong"'] },
    ],
  },
  receivers: [
    receiver('own', own.url, { http_config: { authorization: { credentials: own.token } } }),
    receiver('legacy', legacy.url, basic(legacy.token)),
    receiver('in-url', own.url.replace('://', `://:${own.token}@`), {}),
    receiver('wrong', own.url, basic('wrong')),
  ],
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

const port = await freePort();
const base = `http://127.0.0.1:${port}`;
// What is JSON is YAML too.
writeFileSync(join(place, 'alertmanager.yml'), JSON.stringify(config));
const flags = {
  'config.file': join(place, 'alertmanager.yml'),
  'storage.path': join(place, 'data'),
  'web.listen-address': `127.0.0.1:${port}`,
  'cluster.listen-address': '',
};
const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
// Debian's program reads its templates from /usr/share, so an uninstalled package is mounted there, for this process alone.
const isUnpacked = program.endsWith('/prometheus-alertmanager') && !program.startsWith('/usr/');
const MOUNT_AND_RUN = 'mount --bind "$0/../share" /usr/share && exec "$0/prometheus-alertmanager" "$@"';
const [command = '', ...commandArgs] = isUnpacked
  ? ['unshare', '--mount', '--map-root-user', 'sh', '-c', MOUNT_AND_RUN, dirname(program), ...args]
  : [program, ...args];
const manager = spawn(command, commandArgs, { stdio: ['ignore', 'ignore', 'pipe'] });
let said = '';
manager.stderr.on('data', (bytes) => (said += bytes));
const ended = once(manager, 'exit');

/** What is asked for, once it is as it should be; Alertmanager takes its time. */
async function until<T>(what: string, ask: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  for (let turn = 0; turn < 80; turn++) {
    const found = await ask();
    if (holds(found)) return found;
    await wait(250);
  }
  throw new Error(`${what} never came; last: ${JSON.stringify(await ask()).slice(0, 300)}; ${said.slice(-600)}`);
}

/** Tells Alertmanager of alerts, as Prometheus does. */
async function raise(...alerts: readonly object[]): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${base}/api/v2/alerts`, { method: 'POST', headers, body: JSON.stringify(alerts) });
  assert.equal(answer.status, 200, await answer.text());
}

const listed = () => json<Alert[]>('GET', `${project}/alert_management_alerts?per_page=100&sort=created_at_asc`);

async function alert(title: string, holds: (alert: Alert) => boolean = () => true): Promise<Alert> {
  const found = await until(title, listed, (all) => all.some((one) => one.title === title && holds(one)));
  return found.findLast((one) => one.title === title && holds(one))!;
}

/** How often Alertmanager has failed to tell of something. */
async function failures(): Promise<number> {
  const text = await (await fetch(`${base}/metrics`)).text();
  // Newer releases have one line for each reason.
  const lines = text.matchAll(/^alertmanager_notifications_failed_total\{integration="webhook".*\} (\d+)$/gm);
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}

const disk = (more: object = {}) => ({
  labels: { alertname: 'DiskFull', severity: 'high', instance: 'db1' },
  annotations: {
    title: 'Disk of db1 almost full: 97 %',
    description: 'Größe ☃ 😀',
    runbook: 'https://runbooks.example/disk',
  },
  generatorURL: `${base}/graph?g0.expr=disk_free%28%29+%3C+0.03&g0.tab=1`,
  startsAt: '2026-01-02T03:04:05.000Z',
  endsAt: new Date(Date.now() + 600_000).toISOString(),
  ...more,
});

await step('Alertmanager starts with these addresses and tokens', async () => {
  const ready = () =>
    fetch(`${base}/-/ready`).then(
      ({ status }) => status,
      () => 0,
    );
  await until('Alertmanager', ready, (status) => status === 200);
});

await step('an alert that fires is an alert of the project', async () => {
  await raise(disk());
  const { iid, status, severity, monitoring_tool, description } = await alert('Disk of db1 almost full: 97 %');
  assert.deepEqual([iid, status, severity, monitoring_tool], [1, 'triggered', 'high', 'Prometheus']);
  assert.equal(description, 'Größe ☃ 😀');
  const { metric_query, runbook, started_at, payload } = await json<Alert>(
    'GET',
    `${project}/alert_management_alerts/1`,
  );
  assert.deepEqual([metric_query, runbook], ['disk_free() < 0.03', 'https://runbooks.example/disk']);
  assert.equal(started_at, '2026-01-02T03:04:05.000Z');
  assert.equal((payload as { labels: { instance: string } }).labels.instance, 'db1');
});

await step('it is resolved when it does not fire any more', async () => {
  await raise(disk({ endsAt: new Date().toISOString() }));
  const { iid, ended_at } = await alert('Disk of db1 almost full: 97 %', ({ status }) => status === 'resolved');
  assert.equal(iid, 1);
  assert.ok(ended_at !== null && Math.abs(Date.parse(ended_at) - Date.now()) < 60_000, String(ended_at));
});

await step('and a new one when it fires again', async () => {
  await raise(disk({ startsAt: '2026-01-03T03:04:05.000Z' }));
  assert.equal((await alert('Disk of db1 almost full: 97 %', ({ status }) => status === 'triggered')).iid, 2);
});

await step('of a group each alert is one of its own, counted as often as it is told of', async () => {
  const one = (instance: string) => ({
    labels: { alertname: 'Down', instance },
    annotations: { summary: `${instance} is down` },
  });
  await raise(one('web1'), one('web2'));
  for (const instance of ['web1', 'web2']) await alert(`${instance} is down`);
  await raise(one('web1'), one('web2'), one('web3'));
  await alert('web3 is down');
  await alert('web1 is down', ({ event_count }) => event_count >= 2);
  const titles = (await listed()).map(({ title }) => title).filter((title) => title.endsWith('is down'));
  assert.deepEqual(titles.toSorted(), ['web1 is down', 'web2 is down', 'web3 is down']);
});

await step('an old address takes the token as a password, any address takes it as its own', async () => {
  for (const team of ['legacy', 'in-url']) {
    await raise({ labels: { alertname: `Of ${team}`, team } });
    await alert(`Of ${team}`);
  }
  assert.equal(await failures(), 0);
});

await step('a group of two thousand alerts, which is one payload of over 1 MiB, is stored as a whole', async () => {
  const note = 'x'.repeat(400);
  const many = Array.from({ length: 2_000 }, (_, index) => ({
    labels: { alertname: 'Many', instance: `web${index}` },
    annotations: { summary: `Many of web${index}`, note },
  }));
  await raise(...many);
  const countAlerts = async () => {
    const answer = await api('GET', `${project}/alert_management_alerts?per_page=1&search=Many`);
    return Number(answer.headers.get('x-total'));
  };
  await until('two thousand alerts', countAlerts, (count) => count === many.length);
  // A slow machine may exceed Alertmanager's time limit of ten seconds; a refusal has a status.
  assert.doesNotMatch(said, /unexpected status code/);
});

await step('with a wrong token Alertmanager hears that it failed, and nothing is stored', async () => {
  const before = (await listed()).length;
  await raise({ labels: { alertname: 'Of nobody', team: 'wrong' } });
  await until('its failure', failures, (count) => count > 0);
  assert.match(said, /unexpected status code 401/);
  assert.equal((await listed()).length, before);
});

await step('the integration tests itself with a payload of Alertmanager', async () => {
  const payload = { version: '4', groupKey: '{}', status: 'firing', receiver: 'own', groupLabels: {} };
  const rest = {
    commonLabels: {},
    commonAnnotations: {},
    externalURL: base,
    alerts: [{ ...disk({ labels: {} }), status: 'firing' }],
  };
  const body = { payload: { ...payload, ...rest } };
  const answer = await api('POST', `${project}/alert_integrations/${own.id}/test_alert`, body);
  assert.equal(answer.status, 200);
});

manager.kill('SIGTERM');
await ended;
rmSync(place, { recursive: true, force: true });
