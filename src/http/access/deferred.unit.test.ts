import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AccessCall, open } from './access.ts';

const call = { caller: { user: null }, db: 'the database' } as unknown as AccessCall;
const right = {
  name: 'mayPaint',
  label: 'paint in the colour',
  question: ({ db }: Pick<AccessCall, 'db'>) => {
    return (colour: string) => `${colour} by ${db}`;
  },
} as const;

test('a late right stands in the label, and its question comes with what else the access provides', async () => {
  const access = open()
    .deferred(right)
    .resource({ name: 'wall', load: () => 'a wall', notFound: () => new Error('no wall') });
  assert.equal(access.label, 'open + paint in the colour');
  const found = (await access.load(call)) as never;
  await access.authorize(call, found);
  const { mayPaint, wall, caller } = access.provide(found);
  assert.deepEqual([mayPaint('red'), wall, caller], ['red by the database', 'a wall', call.caller]);
});

test('what was refused before is refused with it too', async () => {
  const refusing = open().require(() => {
    throw new Error('not you');
  });
  const access = refusing.deferred(right);
  const found = (await access.load(call)) as never;
  await assert.rejects(async () => access.authorize(call, found), /not you/);
});

test('a question that bears the name of something else does not compile', () => {
  // @ts-expect-error access has a caller already
  assert.ok(open().deferred({ ...right, name: 'caller' }));
  // @ts-expect-error reserved
  assert.ok(open().deferred({ ...right, name: 'params' }));
});
