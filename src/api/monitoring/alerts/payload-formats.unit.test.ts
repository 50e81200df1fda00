import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeSha1 } from './fingerprint.ts';
import { buildFiringElement } from './fixtures.testing.ts';
import { parseGenericPayload } from './generic-payload.ts';
import type { AlertSender } from './parsed-alert.ts';
import { parseWebhookElement } from './webhook-payload.ts';

const NOW = new Date('2026-02-13T12:00:00.000Z');

const generic = (payload: Record<string, unknown>, mapping: AlertSender['mapping'] = {}, computesFingerprint = true) =>
  parseGenericPayload(payload, { name: 'Data Dog', mapping }, { json: JSON.stringify(payload), computesFingerprint });

const element = async (payload: unknown, mapping: AlertSender['mapping'] = {}) =>
  (await parseWebhookElement(payload, { name: 'Prometheus west', mapping }, NOW))!;

test('truncates texts to their limits and ends them with an ellipsis', async () => {
  for (const [field, maxLength] of [
    ['title', 200],
    ['description', 1000],
    ['service', 100],
    ['monitoring_tool', 100],
  ] as const) {
    const key = field === 'monitoring_tool' ? 'monitoringTool' : field;
    assert.equal((await generic({ [field]: 'é'.repeat(maxLength) }))[key], 'é'.repeat(maxLength));
    assert.equal((await generic({ [field]: 'é'.repeat(maxLength + 1) }))[key], `${'é'.repeat(maxLength - 3)}...`);
    assert.equal((await generic({ [field]: '😀'.repeat(maxLength + 1) }))[key], `${'😀'.repeat(maxLength - 3)}...`);
  }
  const long = await element(buildFiringElement('x'.repeat(201), { annotations: { description: 'y'.repeat(1001) } }));
  assert.deepEqual([long.title.length, long.description?.length], [200, 1000]);
  assert.equal(long.yLabel, 'x'.repeat(201));
});

test('converts other types to text and treats blank values as missing', async () => {
  const cast = async (title: unknown) => (await generic({ title })).title;
  for (const [value, title] of [
    [42, '42'],
    [true, 'true'],
    [0, '0'],
    [{ a: [1] }, '{"a":[1]}'],
    [['a'], '["a"]'],
    [' a ', ' a '],
  ] as const) {
    assert.equal(await cast(value), title);
  }
  for (const blank of [undefined, null, '', ' \n', [], {}, false]) assert.equal(await cast(blank), 'New: Alert');
  const { description, service, monitoringTool, runbook, hosts, environment } = await generic({ description: ' ' });
  assert.deepEqual(
    [description, service, monitoringTool, runbook, hosts, environment],
    [null, null, null, null, [], null],
  );
});

test('returns hosts as a list, truncated to 255 characters in total', async () => {
  const hosts = async (value: unknown) => (await generic({ hosts: value })).hosts;
  assert.deepEqual(await hosts('db1'), ['db1']);
  assert.deepEqual(await hosts([['db1', [2, '']], null, { a: 1 }]), ['db1', '2', '{"a":1}']);
  assert.deepEqual(await hosts(['x'.repeat(250), 'y'.repeat(10), 'z']), ['x'.repeat(250), 'y'.repeat(5)]);
  assert.deepEqual(await hosts(['x'.repeat(255), 'y']), ['x'.repeat(255)]);
});

test('maps the severity words of each format', async () => {
  for (const severity of ['critical', 'high', 'medium', 'low', 'info', 'unknown']) {
    assert.equal((await generic({ severity: severity.toUpperCase() })).severity, severity);
  }
  for (const other of ['major', 's1', '', null, 7])
    assert.equal((await generic({ severity: other })).severity, 'critical');
  const words = {
    critical: ['critical', 's1', 'p1', 'emergency', 'fatal', 'minor', 'unknown', '', null, {}],
    high: ['high', 's2', 'P2', 'Major', 'page'],
    medium: ['medium', 's3', 'p3', 'error', 'alert'],
    low: ['low', 's4', 'p4', 'warn', 'WARNING'],
    info: ['info', 's5', 'p5', 'debug', 'information', 'notice'],
  };
  for (const [severity, all] of Object.entries(words)) {
    for (const word of all) {
      const { severity: read } = await element(
        buildFiringElement('Disk', { labels: { alertname: 'Disk', severity: word } }),
      );
      assert.equal(read, severity, String(word));
    }
  }
});

test('takes the title of an element from its title, summary or name', async () => {
  const titles = async (annotations: object, labels: object) =>
    (await parseWebhookElement({ startsAt: 'now', annotations, labels }, { name: '', mapping: {} }, NOW))?.title;
  assert.equal(await titles({ title: 't', summary: 's' }, { alertname: 'a' }), 't');
  assert.equal(await titles({ title: ' ', summary: 's' }, { alertname: 'a' }), 's');
  assert.equal(await titles({ title: null }, { alertname: 7 }), '7');
  assert.equal(await titles({}, {}), undefined);
});

test('resolves an element by its status, or without one by a past end time', async () => {
  const end = async (more: object) => {
    const { isResolving: resolving, endedAt } = await element(buildFiringElement('Disk', more));
    return [resolving, endedAt];
  };
  const [past, future] = ['2026-02-13T11:00:00.000Z', '2026-02-13T13:00:00.000Z'];
  assert.deepEqual(await end({ status: 'resolved', endsAt: past }), [true, past]);
  assert.deepEqual(await end({ status: 'resolved', endsAt: '0001-01-01T00:00:00Z' }), [true, null]);
  assert.deepEqual(await end({ status: 'resolved', endsAt: 'soon' }), [true, null]);
  assert.equal((await end({ status: 'firing', endsAt: past }))[0], false);
  assert.equal((await end({ status: 'Resolved', endsAt: past }))[0], false);
  for (const status of [undefined, null]) {
    assert.deepEqual(await end({ status, endsAt: past }), [true, past]);
    assert.equal((await end({ status, endsAt: future }))[0], false);
    assert.equal((await end({ status, endsAt: '0001-01-01T00:00:00Z' }))[0], false);
    assert.equal((await end({ status, endsAt: null }))[0], false);
  }
});

test('uses the current time for an unreadable start time, in both formats', async () => {
  assert.equal((await element(buildFiringElement('Disk', { startsAt: 'noon' }))).startedAt, null);
  for (const start_time of ['noon', 1770978496123, null]) {
    assert.equal((await generic({ start_time })).startedAt, null);
  }
});

test('the fingerprint of an element is of its start as it was sent, its title and its query', async () => {
  const starts = '2026-02-13T10:20:00.000Z';
  assert.equal((await element(buildFiringElement('Disk'))).fingerprint, computeSha1(`${starts}/Disk/up == 0`));
  for (const generatorURL of [undefined, '', 'http://prometheus/graph', 'http://prometheus/graph?g1.expr=up']) {
    const { fingerprint, metricQuery } = await element(
      buildFiringElement('Disk', { generatorURL, fingerprint: 'own' }),
    );
    assert.deepEqual([fingerprint, metricQuery], [computeSha1(`${starts}/Disk/`), null]);
  }
  const { metricQuery } = await element(
    buildFiringElement('Disk', { generatorURL: '/graph?g0.expr=rate%28x%5B5m%5D%29+%3E+1&x=1#y' }),
  );
  assert.equal(metricQuery, 'rate(x[5m]) > 1');
});

test('a fingerprint is of its text, of lists all texts together, of objects whatever their order', async () => {
  const of = async (fingerprint: unknown) => (await generic({ fingerprint }, {}, false)).fingerprint;
  assert.equal(await of('ab'), computeSha1('ab'));
  assert.equal(await of(['a', ['b']]), computeSha1('ab'));
  assert.equal(await of(42), computeSha1('42'));
  assert.equal(await of([1, true]), computeSha1('1true'));
  assert.equal(await of({ b: { c: 1 }, a: [2] }), computeSha1('{"a":[2],"b.c":1}'));
  assert.equal(await of({ a: [2], b: { c: 1 } }), await of({ b: { c: 1 }, a: [2] }));
  for (const blank of [undefined, null, '', [], {}, false]) assert.equal(await of(blank), null);
});

test('a payload without one gets the fingerprint of all but its times and hosts', async () => {
  const { fingerprint } = await generic({ title: 'Disk', x: { b: 1, a: null }, hosts: 'db1', end_time: 'soon' });
  assert.equal(fingerprint, computeSha1('{"title":"Disk","x.a":null,"x.b":1}'));
  assert.equal((await generic({ title: '', hosts: 'db1', start_time: '2026-02-13' })).fingerprint, null);
  assert.equal((await generic({ title: 'Disk' }, {}, false)).fingerprint, null);
});

test('a payload that would have very long names has a fingerprint all the same', async () => {
  let nested: Record<string, unknown> = Object.fromEntries(
    Array.from({ length: 5000 }, (_, index) => [`k${index}`, 1]),
  );
  for (let level = 0; level < 50; level++) nested = { [`${'n'.repeat(2000)}${level}`]: nested };
  const { fingerprint } = await generic({ nested });
  assert.match(fingerprint ?? '', /^[0-9a-f]{40}$/);
});

test('a mapping leads to the fields, and where it leads to nothing that could be read the payload holds', async () => {
  const at = (...path: (string | number)[]) => ({ path, type: 'string' as const });
  const payload = {
    title: 'Own',
    severity: 'low',
    alert: { name: 'Mapped', level: 'HIGH', hosts: ['db1', 'db2'], ends: 1770978496000, key: { b: 1 }, blank: ' ' },
  };
  const mapped = await generic(payload, {
    title: at('alert', 'name'),
    description: at('alert', 'blank'),
    severity: at('alert', 'level'),
    hosts: at('alert', 'hosts', 1),
    end_time: { path: ['alert', 'ends'], type: 'number' },
    start_time: { path: ['alert', 'ends'], type: 'datetime' },
    fingerprint: at('alert', 'key'),
    service: at('alert', 'nothing'),
  });
  const {
    title,
    description,
    severity,
    hosts,
    isResolving: resolving,
    endedAt,
    startedAt,
    fingerprint,
    service,
  } = mapped;
  assert.deepEqual([title, description, severity, hosts, service], ['Mapped', null, 'high', ['db2'], null]);
  assert.deepEqual([resolving, endedAt, startedAt], [true, '2026-02-13T10:28:16.000Z', null]);
  assert.equal(fingerprint, computeSha1('{"b":1}'));
  const typed = await generic(payload, {
    end_time: { path: ['alert', 'ends'], type: 'datetime' },
    title: at('alert', 'blank'),
  });
  assert.deepEqual([typed.title, typed.isResolving], ['Own', false]);
});

test('resolves the paths of a mapping from the element', async () => {
  const at = (...path: string[]) => ({ path, type: 'string' as const });
  const more = {
    labels: { alertname: 'Disk', instance: 'db1', team: 'ops', severity: 'warn' },
    annotations: { id: 'a' },
  };
  const mapped = await element(buildFiringElement('Disk', more), {
    title: at('labels', 'team'),
    hosts: at('labels', 'instance'),
    service: at('labels', 'team'),
    severity: at('labels', 'severity'),
    fingerprint: at('annotations', 'id'),
    end_time: { path: ['startsAt'], type: 'datetime' },
  });
  const { title, hosts, service, severity, fingerprint, isResolving: resolving, endedAt } = mapped;
  assert.deepEqual([title, hosts, service, severity, fingerprint], ['ops', ['db1'], 'ops', 'low', computeSha1('a')]);
  assert.deepEqual([resolving, endedAt], [true, '2026-02-13T10:20:00.000Z']);
});
