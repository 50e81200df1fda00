import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildEnvelope, createReporter } from './sdk.testing.ts';

// Counting of sessions (contract/monitoring.md §13).

const attrs = { release: 'web@1', environment: 'production' };
const bucketWith = (counts: object) => ({
  release: 'web@1',
  environment: 'production',
  total: 1,
  exited: 0,
  errored: 0,
  crashed: 0,
  abnormal: 0,
  ...counts,
});

test('counts a session once, and moves it to the bucket of its last update', async () => {
  const { sendEnvelope, listSessions } = await createReporter();
  const step = (more: object) => sendEnvelope(buildEnvelope(['session', { sid: 'a', attrs, ...more }]));
  await step({ init: true, status: 'ok' });
  assert.deepEqual(await listSessions(), [bucketWith({ exited: 1 })]);
  await step({ status: 'ok', errors: 2 });
  assert.deepEqual(await listSessions(), [bucketWith({ errored: 1 })]);
  await step({ status: 'abnormal' });
  assert.deepEqual(await listSessions(), [bucketWith({ abnormal: 1 })]);
  await step({ status: 'crashed', errors: 1 });
  assert.deepEqual(await listSessions(), [bucketWith({ crashed: 1 })]);
});

test('applies updates in the order of `seq`, and updates without it in the order of arrival', async () => {
  const { sendEnvelope, listSessions } = await createReporter();
  const step = (more: object) => ['session', { sid: 'a', attrs, ...more }] as const;
  await sendEnvelope(buildEnvelope(step({ seq: 5, status: 'crashed' }), step({ seq: 3, status: 'exited' })));
  await sendEnvelope(buildEnvelope(step({ seq: 4, status: 'abnormal' })));
  assert.deepEqual(await listSessions(), [bucketWith({ crashed: 1 })]);
  await sendEnvelope(buildEnvelope(step({ status: 'errored' })));
  assert.deepEqual(await listSessions(), [bucketWith({ errored: 1 })]);
  await sendEnvelope(buildEnvelope(step({ seq: 6, status: 'exited' }), step({ seq: 4, status: 'crashed' })));
  assert.deepEqual(await listSessions(), [bucketWith({ exited: 1 })]);
});

test('adds the counts of aggregates to the buckets and the total', async () => {
  const { sendEnvelope, listSessions } = await createReporter();
  const aggregates = [
    { exited: 3, errored: 1 },
    { crashed: 2, abnormal: 1, exited: null },
    null,
    { exited: -5 },
    { errored: 'x' },
  ];
  await sendEnvelope(
    buildEnvelope(['sessions', { aggregates, attrs }], ['session', { sid: 'a', attrs, status: 'exited' }]),
  );
  await sendEnvelope(buildEnvelope(['sessions', { aggregates: [{ exited: 1 }], attrs: { release: 'web@1' } }]));
  await sendEnvelope(
    buildEnvelope(['sessions', { aggregates: [{ exited: 1 }], attrs: { release: 'web@0', environment: '' } }]),
  );
  assert.deepEqual(await listSessions(), [
    bucketWith({ release: 'web@0', environment: null, exited: 1 }),
    bucketWith({ environment: null, exited: 1 }),
    bucketWith({ total: 8, exited: 4, errored: 1, crashed: 2, abnormal: 1 }),
  ]);
});

test('ignores sessions without a release or a session id', async () => {
  const { sendEnvelope, listSessions } = await createReporter();
  const invalid = [
    { sid: 'a' },
    { sid: 'a', attrs: {} },
    { attrs },
    { sid: {}, attrs },
    { sid: 'a', attrs: { release: [] } },
  ];
  for (const session of invalid) assert.equal((await sendEnvelope(buildEnvelope(['session', session]))).status, 200);
  for (const attrs of [undefined, {}, 'x', { environment: 'e' }]) {
    await sendEnvelope(buildEnvelope(['sessions', { aggregates: [{ exited: 1 }], attrs }]));
  }
  await sendEnvelope(buildEnvelope(['sessions', { aggregates: 'x', attrs }], ['session', []]));
  assert.deepEqual(await listSessions(), []);
});

test('counts concurrent updates of many sessions once per session', async () => {
  const { sendEnvelope, listSessions } = await createReporter();
  const step = (at: number) =>
    ['session', { sid: `s${at % 10}`, attrs, seq: at, status: at < 40 ? 'ok' : 'crashed' }] as const;
  await Promise.all(Array.from({ length: 50 }, (_, at) => sendEnvelope(buildEnvelope(step(at)))));
  assert.deepEqual(await listSessions(), [bucketWith({ total: 10, crashed: 10 })]);
});
