import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitWorld, someClient } from '../fixtures.testing.ts';
import { gitFor } from '../git.ts';
import { together } from './coalesce.ts';

test('work that several wait for is done once, and ends when the last of them has gone', async (t) => {
  const { git } = await gitWorld(t);
  const [one, two] = [someClient(), someClient()];
  let begun = 0;
  const work = async (shared: typeof git): Promise<never> => {
    begun += 1;
    const { promise, reject } = Promise.withResolvers<never>();
    shared.client!.signal.addEventListener('abort', () => reject(new Error('nobody waits')));
    return promise;
  };
  const answers = [one, two].map(({ client }) => together(gitFor(git, client), 'key', work));
  const ends = answers.map((answer) => assert.rejects(answer, /nobody waits/));
  one.leave();
  assert.equal(await Promise.race([answers[0], new Promise((resolve) => setImmediate(resolve, 'still'))]), 'still');
  two.leave();
  await Promise.all(ends);
  assert.equal(begun, 1);
});

test('whoever comes after the last has gone begins anew, and so does whoever comes after the end', async (t) => {
  const { git } = await gitWorld(t);
  const { client, leave } = someClient();
  const held = Promise.withResolvers<string>();
  const first = together(gitFor(git, client), 'key', () => held.promise);
  leave();
  assert.equal(await together(git, 'key', async () => 'second'), 'second');
  assert.equal(await together(git, 'key', async () => 'third'), 'third');
  held.resolve('first');
  assert.equal(await first, 'first');
});
