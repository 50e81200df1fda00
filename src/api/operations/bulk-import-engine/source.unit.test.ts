import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createOutbound } from '#outbound-http/index.ts';
import { fakeSource } from './fake-source.testing.ts';
import { createSource, SourceFailure } from './source.ts';

const rules = { allowLocalRequests: true, allowList: [], maxResponseBytes: null, ownUrl: null };
const outbound = createOutbound({ rules: () => rules, userAgent: 'Hearth/test' });

type Answer = (response: ServerResponse) => void;

/** What each of these users hears of a source that answers him so, while the time of timers goes by. */
async function heard(t: TestContext, asked: readonly (readonly [userId: number, answer: Answer])[]) {
  const source = await fakeSource(t);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let left = asked.length;
  const said = asked.map(async ([userId, answer], at) => {
    source.say(`/${at}`, (_request, response) => answer(response));
    const { ask } = createSource(outbound, { url: source.url, token: 'sesame' }, userId);
    try {
      return (await ask(`/${at}`)).value;
    } catch (error) {
      assert.ok(error instanceof SourceFailure && error.passing, String(error));
      return /long answer|within \d+ s/.exec(error.message)?.[0];
    } finally {
      left--;
    }
  });
  while (left > 0) {
    await turn();
    t.mock.timers.tick(1);
  }
  return Promise.all(said);
}

const LONG = Buffer.alloc(6 * 1024 * 1024, ' ');
const stuck: Answer = (response) => void response.write(LONG);
const whole: Answer = (response) => void response.end(`${LONG}[1]`);

test('a long answer that does not end has its place for so long, and its user one of them at a time', async (t) => {
  const asked = Array.from({ length: 4 }, () => [1, stuck] as const);
  const answers = await heard(t, [...asked, [2, whole]]);
  assert.deepEqual(answers.at(-1), [1]);
  assert.deepEqual(answers.slice(0, -1).toSorted(), ['long answer', 'long answer', 'within 60 s', 'within 60 s']);
});
