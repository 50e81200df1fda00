import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGitWorld, createTestClient } from '../fixtures.testing.ts';
import { gitForClient } from '../git.ts';
import { coalesce } from './coalesce.ts';

test('concurrent callers share work, which is cancelled when the last one leaves', async (t) => {
  const { git } = await createGitWorld(t);
  const [one, two] = [createTestClient(), createTestClient()];
  let begun = 0;
  const work = async (shared: typeof git): Promise<never> => {
    begun += 1;
    const { promise, reject } = Promise.withResolvers<never>();
    shared.client!.signal.addEventListener('abort', () => reject(new Error('nobody waits')));
    return promise;
  };
  const answers = [one, two].map(({ client }) => coalesce(gitForClient(git, client), 'key', work));
  const ends = answers.map((answer) => assert.rejects(answer, /nobody waits/));
  one.leave();
  assert.equal(await Promise.race([answers[0], new Promise((resolve) => setImmediate(resolve, 'still'))]), 'still');
  two.leave();
  await Promise.all(ends);
  assert.equal(begun, 1);
});

test('callers after cancellation or completion start new work', async (t) => {
  const { git } = await createGitWorld(t);
  const { client, leave } = createTestClient();
  const held = Promise.withResolvers<string>();
  const first = coalesce(gitForClient(git, client), 'key', () => held.promise);
  leave();
  assert.equal(await coalesce(git, 'key', async () => 'second'), 'second');
  assert.equal(await coalesce(git, 'key', async () => 'third'), 'third');
  held.resolve('first');
  assert.equal(await first, 'first');
});
