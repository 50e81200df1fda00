import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildEventEnvelope, createClientKey, createReporter, getStatusAndDetail } from './sdk.testing.ts';

// Authentication with client keys, and CORS headers (contract/monitoring.md §10).

const here = await createReporter();
const { project, key, anonymous, maintainer } = here;
const ENVELOPE = `//errortracking/api/v1/projects/api/${project.id}/envelope/`;
const STORE = ENVELOPE.replace('envelope', 'store');
const event = buildEventEnvelope({ message: 'm' });
type Headers = Readonly<Record<string, string>>;
const UNKNOWN = [401, 'missing authorization information'];
const REJECTED = [403, 'event submission rejected: unknown project or client key'];

const send = async (headers: Readonly<Record<string, string>>, { path = ENVELOPE, raw = event } = {}) =>
  anonymous.send('POST', path, { raw, headers });
const status = async (...args: Parameters<typeof send>) => (await send(...args)).status;
const withDsn = (dsn: unknown) => event.replace('{}', JSON.stringify({ dsn }));

test('accepts reports to all three DSN formats, with and without a trailing slash', async () => {
  const prefixes = ['errortracking/api/v1/projects/api', 'api/v4/error_tracking/collector/api', 'api'];
  for (const prefix of prefixes) {
    for (const end of ['envelope/', 'envelope', 'store/', 'store']) {
      const raw = end.startsWith('store') ? '{"message":"m"}' : event;
      const path = `//${prefix}/${project.id}/${end}?sentry_version=7&sentry_key=${key}`;
      const response = await send({}, { path, raw });
      assert.equal(response.status, 200, path);
      assert.match(response.body.id, /^[0-9a-f]{32}$/);
      assert.equal(response.headers['content-type'], 'application/json');
      const headers = { 'Content-Type': 'application/json' };
      assert.equal((await anonymous.send('PUT', path, { raw, headers })).status, 405, path);
    }
  }
  assert.equal((await anonymous.send('POST', '//api/v4/envelope/')).status, 404);
});

test('reads the key from X-Sentry-Auth, Authorization or the query, in any spelling', async () => {
  for (const header of [
    `Sentry sentry_key=${key}, sentry_version=7, sentry_client=raven-node/1.0`,
    `Sentry sentry_version=7,sentry_client=sentry.java/6,sentry_key=${key},sentry_secret=x`,
    `sentry sentry_timestamp=1, sentry_key = ${key} , odd, x=`,
    `sentry_key=${key}`,
  ]) {
    assert.equal(await status({ 'X-Sentry-Auth': header }), 200, header);
    assert.equal(await status({ Authorization: header }), 200, header);
  }
  assert.equal(await status({}, { path: `${ENVELOPE}?sentry_key=${key}` }), 200);
});

test('uses the first key found: X-Sentry-Auth, Authorization, query, DSN', async () => {
  const query = `${ENVELOPE}?sentry_key=${key}`;
  const [bad, good] = ['Sentry sentry_key=glet_bad', `Sentry sentry_key=${key}`];
  assert.equal(await status({ 'X-Sentry-Auth': bad, Authorization: good }, { path: query }), 403);
  assert.equal(await status({ 'X-Sentry-Auth': good, Authorization: bad }), 200);
  assert.equal(await status({ Authorization: bad }, { path: query }), 403);
  assert.equal(await status({ 'X-Sentry-Auth': 'Sentry sentry_version=7' }, { path: query }), 200);
  assert.equal(await status({ 'X-Sentry-Auth': bad }, { raw: withDsn(`https://${key}@h/${project.id}`) }), 403);
});

test('uses the DSN in the envelope header if no other key is sent, and requires its project to match', async () => {
  const dsn = `https://${key}@hearth.example.com/errortracking/api/v1/projects/${project.id}`;
  assert.equal(await status({}, { raw: withDsn(dsn) }), 200);
  assert.deepEqual(getStatusAndDetail(await send({}, { raw: withDsn(`https://${key}@h/${project.id}1`) })), REJECTED);
  assert.deepEqual(getStatusAndDetail(await send({}, { raw: withDsn('https://glet_0@h/1') })), REJECTED);
  for (const invalid of [null, 5, '', 'nonsense', `https://h/${project.id}`, undefined]) {
    assert.deepEqual(getStatusAndDetail(await send({}, { raw: withDsn(invalid) })), UNKNOWN, String(invalid));
  }
  assert.deepEqual(getStatusAndDetail(await send({}, { raw: '{"dsn":' })), [400, 'invalid event envelope']);
  assert.deepEqual(
    getStatusAndDetail(await send({}, { raw: `${withDsn('https://x@h/1').split('\n', 1)[0]}\nnonsense\n` })),
    REJECTED,
  );
});

test('returns 401 without a key, and ignores access tokens and cookies', async () => {
  const { token } = maintainer;
  for (const headers of [
    {} as Headers,
    { Authorization: `Bearer ${token}` },
    { 'PRIVATE-TOKEN': token ?? '' },
    { Cookie: 'a=b' },
  ]) {
    for (const path of [ENVELOPE, STORE]) assert.deepEqual(getStatusAndDetail(await send(headers, { path })), UNKNOWN);
  }
  assert.deepEqual(getStatusAndDetail(await send({ 'X-Sentry-Auth': 'nonsense' })), UNKNOWN);
  assert.deepEqual(
    getStatusAndDetail(await send({}, { path: STORE, raw: withDsn(`https://${key}@h/${project.id}`) })),
    UNKNOWN,
  );
});

test('returns the same 403 for every wrong key or project', async () => {
  const other = await here.newProject({});
  const deleted = (await maintainer.post(`${project.at}/error_tracking/client_keys`)).body;
  await maintainer.delete(`${project.at}/error_tracking/client_keys/${deleted.id}`);
  const foreignKey = await createClientKey(here.root, other);
  const wrongKeys = ['glet_0', deleted.public_key, foreignKey, 'é', 'x'.repeat(5_000), '%00', "' or 1=1"];
  for (const sentry_key of wrongKeys) {
    const { status, body, headers } = await send({ 'X-Sentry-Auth': `Sentry sentry_key=${sentry_key}` });
    assert.deepEqual([status, body], [403, { detail: REJECTED[1], causes: [] }], sentry_key);
    assert.equal(headers['x-sentry-error'], REJECTED[1]);
  }
  for (const id of [
    other.id,
    999_999,
    0,
    '99999999999999999999',
    '-1',
    'abc',
    `${project.id}x`,
    '%2F',
    'x'.repeat(4_500),
  ]) {
    const path = ENVELOPE.replace(`/${project.id}/`, `/${id}/`);
    const response = await send({ 'X-Sentry-Auth': `Sentry sentry_key=${key}` }, { path });
    assert.deepEqual(getStatusAndDetail(response), REJECTED, String(id));
  }
});

test('accepts reports unless the settings or the feature flag disable error tracking', async () => {
  const { sendEnvelope, project: own, maintainer: master, root } = await createReporter();
  const settings = `${own.at}/error_tracking/settings`;
  assert.equal((await sendEnvelope(event)).status, 200);
  await master.put(settings, { active: true, integrated: true });
  assert.equal((await sendEnvelope(event)).status, 200);
  await master.put(settings, { active: false, integrated: true });
  assert.deepEqual(getStatusAndDetail(await sendEnvelope(event)), REJECTED);
  await master.put(settings, { active: false, integrated: false });
  assert.deepEqual(getStatusAndDetail(await sendEnvelope(event)), REJECTED);
  await master.put(settings, { active: true, integrated: true });
  await root.post('/features/integrated_error_tracking', { value: false, project: own.path_with_namespace });
  assert.deepEqual(getStatusAndDetail(await sendEnvelope(event)), REJECTED);
});

test('allows all origins in responses and preflights', async () => {
  const expose = 'x-sentry-error, x-sentry-rate-limits, retry-after';
  const responses = [
    await send({ 'X-Sentry-Auth': `Sentry sentry_key=${key}` }),
    await send({ Origin: 'https://page.example' }),
    await send({}, { path: STORE }),
    await anonymous.send('GET', ENVELOPE),
    await anonymous.send('POST', `${ENVELOPE}?a=%zz`),
  ];
  for (const { headers, status } of responses) {
    assert.deepEqual(
      [headers['access-control-allow-origin'], headers['access-control-expose-headers']],
      ['*', expose],
      `${status}`,
    );
  }
  for (const path of [ENVELOPE, STORE, '//api/1/store', '//api/v4/error_tracking/collector/api/1/envelope/']) {
    for (const headers of [
      {} as Headers,
      { Origin: 'https://page.example', 'Access-Control-Request-Method': 'POST' },
    ]) {
      const { status, headers: preflight } = await anonymous.send('OPTIONS', path, { headers });
      assert.equal(status, 204);
      assert.equal(preflight['access-control-allow-origin'], '*');
      assert.equal(preflight['access-control-max-age'], '3600');
      assert.match(preflight['access-control-allow-methods'] ?? '', /POST/);
      for (const name of ['content-type', 'content-encoding', 'x-sentry-auth', 'authorization']) {
        assert.ok(preflight['access-control-allow-headers']?.includes(name), name);
      }
    }
  }
});
