import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { attack, startTarget } from './attack.ts';

// Alerts with the key of an integration, which a monitoring tool has in its configuration.

const MEBIBYTE = 2 ** 20;
/** A body of 16 MiB takes longer to parse than the short time that other hostile clients are given. */
const target = await startTarget({ idleTimeout: 5_000 });
const { id } = await target.done('POST', '/projects', { name: 'watched' });
const { url, token } = await target.done('POST', `/projects/${id}/alert_integrations`, {
  name: 'Alertmanager',
  type: 'prometheus',
});
const path = `/${new URL(url).pathname}`;

async function send(body: Buffer | string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const { status } = await target.send('POST', path, {
    headers: { Authorization: `Bearer ${token}`, ...headers },
    body,
  });
  assert.ok(status < 500 || status === 503, `the answer is ${status}`);
  return status;
}

/** Builds a webhook payload from the JSON of its alerts. */
const payloadOf = (alerts: string) =>
  `{"version":"4","groupKey":"{}","status":"firing","receiver":"a","groupLabels":{},"commonLabels":{},"commonAnnotations":{},"externalURL":"","alerts":[${alerts}]}`;

const alertOf = (title: string, note = '') =>
  JSON.stringify({
    status: 'firing',
    labels: { alertname: title, instance: 'db1', severity: 'high' },
    annotations: { summary: title, note },
    startsAt: '2026-02-13T10:20:00.000Z',
    generatorURL: 'http://prometheus/graph?g0.expr=up+%3D%3D+0&g0.tab=1',
  });
const join = (count: number, build: (index: number) => string) =>
  Array.from({ length: count }, (_, at) => build(at)).join();

attack('stores a group of very many alerts in short transactions', target, async () => {
  const payload = payloadOf(join(6_000, (index) => alertOf(`Disk ${index}`, 'x'.repeat(400))));
  assert.equal(await send(payload), 200);
  assert.equal(await send(payload), 200);
});

attack('stores large alerts in short transactions', target, async () => {
  assert.equal(
    await send(payloadOf(join(15, (index) => alertOf(`Large ${index}`, 'x'.repeat(MEBIBYTE - 1_000))))),
    200,
  );
});

/** Bodies of nearly 16 MiB. */
const full = (text: string, start = '', end = '') =>
  start + text.repeat(Math.floor((16 * MEBIBYTE - 2_000) / text.length)) + end;
const PAYLOADS: Readonly<Record<string, () => string>> = {
  'empty alerts': () => payloadOf(full('{},', '', '{}')),
  'alerts of brackets': () => payloadOf(join(15, () => '['.repeat(MEBIBYTE - 10))),
  'objects that differ': () =>
    payloadOf(join(12, (at) => `{"a":[${join(80_000, (index) => `{"n${at}${index}":1}`)}]}`)),
  'names called alerts': () => full('"alerts":[1],', '{', '"a":1}'),
  'one long text': () => payloadOf(full('x', '"', '"')),
  backslashes: () => payloadOf(full('\\\\', '"', '"')),
  'blanks in front of nothing': () => full(' '),
  'no alerts': () => full('{},', '{"a":[', '{}]}'),
};

for (const [name, make] of Object.entries(PAYLOADS)) {
  attack(`parses a payload within the time limit and retains little memory: ${name}`, target, async () => {
    const payload = make();
    await Promise.all([send(payload), send(gzipSync(payload, { level: 1 }), { 'Content-Encoding': 'gzip' })]);
  });
}
