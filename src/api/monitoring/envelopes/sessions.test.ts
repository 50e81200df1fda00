import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemsOf, reporter } from './sdk.testing.ts';

// Sessions of programs, as they are counted (contract/monitoring.md §13).

const attrs = { release: 'web@1', environment: 'production' };
const counted = (counts: object) => ({
  release: 'web@1',
  environment: 'production',
  total: 1,
  exited: 0,
  errored: 0,
  crashed: 0,
  abnormal: 0,
  ...counts,
});

test('a session counts once, and moves as it goes on', async () => {
  const { envelope, sessions } = await reporter();
  const step = (more: object) => envelope(itemsOf(['session', { sid: 'a', attrs, ...more }]));
  await step({ init: true, status: 'ok' });
  assert.deepEqual(await sessions(), [counted({ exited: 1 })]);
  await step({ status: 'ok', errors: 2 });
  assert.deepEqual(await sessions(), [counted({ errored: 1 })]);
  await step({ status: 'abnormal' });
  assert.deepEqual(await sessions(), [counted({ abnormal: 1 })]);
  await step({ status: 'crashed', errors: 1 });
  assert.deepEqual(await sessions(), [counted({ crashed: 1 })]);
});

test('steps that are counted are taken in their order, those that are not as they come', async () => {
  const { envelope, sessions } = await reporter();
  const step = (more: object) => ['session', { sid: 'a', attrs, ...more }] as const;
  await envelope(itemsOf(step({ seq: 5, status: 'crashed' }), step({ seq: 3, status: 'exited' })));
  await envelope(itemsOf(step({ seq: 4, status: 'abnormal' })));
  assert.deepEqual(await sessions(), [counted({ crashed: 1 })]);
  await envelope(itemsOf(step({ status: 'errored' })));
  assert.deepEqual(await sessions(), [counted({ errored: 1 })]);
  await envelope(itemsOf(step({ seq: 6, status: 'exited' }), step({ seq: 4, status: 'crashed' })));
  assert.deepEqual(await sessions(), [counted({ exited: 1 })]);
});

test('counts are added, and their sum is the total', async () => {
  const { envelope, sessions } = await reporter();
  const aggregates = [
    { exited: 3, errored: 1 },
    { crashed: 2, abnormal: 1, exited: null },
    null,
    { exited: -5 },
    { errored: 'x' },
  ];
  await envelope(itemsOf(['sessions', { aggregates, attrs }], ['session', { sid: 'a', attrs, status: 'exited' }]));
  await envelope(itemsOf(['sessions', { aggregates: [{ exited: 1 }], attrs: { release: 'web@1' } }]));
  await envelope(itemsOf(['sessions', { aggregates: [{ exited: 1 }], attrs: { release: 'web@0', environment: '' } }]));
  assert.deepEqual(await sessions(), [
    counted({ release: 'web@0', environment: null, exited: 1 }),
    counted({ environment: null, exited: 1 }),
    counted({ total: 8, exited: 4, errored: 1, crashed: 2, abnormal: 1 }),
  ]);
});

test('what has no release or no name is not counted', async () => {
  const { envelope, sessions } = await reporter();
  const odd = [
    { sid: 'a' },
    { sid: 'a', attrs: {} },
    { attrs },
    { sid: {}, attrs },
    { sid: 'a', attrs: { release: [] } },
  ];
  for (const session of odd) assert.equal((await envelope(itemsOf(['session', session]))).status, 200);
  for (const attrs of [undefined, {}, 'x', { environment: 'e' }]) {
    await envelope(itemsOf(['sessions', { aggregates: [{ exited: 1 }], attrs }]));
  }
  await envelope(itemsOf(['sessions', { aggregates: 'x', attrs }], ['session', []]));
  assert.deepEqual(await sessions(), []);
});

test('many steps of many sessions at once are each counted once', async () => {
  const { envelope, sessions } = await reporter();
  const step = (at: number) =>
    ['session', { sid: `s${at % 10}`, attrs, seq: at, status: at < 40 ? 'ok' : 'crashed' }] as const;
  await Promise.all(Array.from({ length: 50 }, (_, at) => envelope(itemsOf(step(at)))));
  assert.deepEqual(await sessions(), [counted({ total: 10, crashed: 10 })]);
});
