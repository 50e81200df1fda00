import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AccessCall, open } from './access.ts';

const call = { caller: { user: null }, db: 'the database' } as unknown as AccessCall;
const right = {
  name: 'mayPaint',
  label: 'paint in the colour',
  createCheck: ({ db }: Pick<AccessCall, 'db'>) => {
    return (colour: string) => `${colour} by ${db}`;
  },
} as const;

test('shows a deferred permission in the label and provides its check', async () => {
  const access = open()
    .deferred(right)
    .resource({ name: 'wall', load: () => 'a wall', notFound: () => new Error('no wall') });
  assert.equal(access.label, 'open + paint in the colour');
  const found = (await access.load(call)) as never;
  await access.authorize(call, found);
  const { mayPaint, wall, caller } = access.provide(found);
  assert.deepEqual([mayPaint('red'), wall, caller], ['red by the database', 'a wall', call.caller]);
});

test('still rejects what the access rejected before', async () => {
  const refusing = open().require(() => {
    throw new Error('not you');
  });
  const access = refusing.deferred(right);
  const found = (await access.load(call)) as never;
  await assert.rejects(async () => access.authorize(call, found), /not you/);
});

test('a deferred permission with a reserved name does not compile', () => {
  // @ts-expect-error access has a caller already
  assert.ok(open().deferred({ ...right, name: 'caller' }));
  // @ts-expect-error reserved
  assert.ok(open().deferred({ ...right, name: 'params' }));
});
