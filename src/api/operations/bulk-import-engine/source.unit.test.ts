import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createOutbound } from '#outbound-http/client.ts';
import { startFakeSource } from './fake-source.testing.ts';
import { createSourceClient, SourceFailure } from './source.ts';

const rules = { allowLocalRequests: true, allowList: [], maxResponseBytes: null, serverUrl: null };
const outbound = createOutbound({ rules: () => rules, userAgent: 'Hearth/test' });

type Answer = (response: ServerResponse) => void;

/** Returns the result for each of these users of a source with this response, while mock timers advance. */
async function fetchAll(t: TestContext, requests: readonly (readonly [userId: number, answer: Answer])[]) {
  const source = await startFakeSource(t);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let pending = requests.length;
  const results = requests.map(async ([userId, answer], at) => {
    source.respond(`/${at}`, (_request, response) => answer(response));
    const { get } = createSourceClient(outbound, { url: source.url, token: 'sesame' }, userId);
    try {
      return (await get(`/${at}`)).json;
    } catch (error) {
      assert.ok(error instanceof SourceFailure && error.isTemporary, String(error));
      return /long answer|within \d+ s/.exec(error.message)?.[0];
    } finally {
      pending--;
    }
  });
  while (pending > 0) {
    await yieldToEventLoop();
    t.mock.timers.tick(1);
  }
  return Promise.all(results);
}

const LONG = Buffer.alloc(6 * 1024 * 1024, ' ');
const neverEnding: Answer = (response) => void response.write(LONG);
const complete: Answer = (response) => void response.end(`${LONG}[1]`);

test('times out an endless long response, and reads one long response per user at a time', async (t) => {
  const requests = Array.from({ length: 4 }, () => [1, neverEnding] as const);
  const answers = await fetchAll(t, [...requests, [2, complete]]);
  assert.deepEqual(answers.at(-1), [1]);
  assert.deepEqual(answers.slice(0, -1).toSorted(), ['long answer', 'long answer', 'within 60 s', 'within 60 s']);
});
