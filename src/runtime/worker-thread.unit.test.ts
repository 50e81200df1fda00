import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorkerThread, ThreadTerminated } from './worker-thread.ts';

const PROGRAM = `
import { parentPort } from 'node:worker_threads';
let answered;
parentPort.on('message', (message) => {
  if (message === 'loop') for (;;);
  if (message === 'fill') for (const all = []; ; ) all.push('x'.repeat(1000) + all.length);
  if (message === 'throw') throw new Error('of the program');
  if (message === 'ask') parentPort.postMessage({ question: 'what?' });
  else parentPort.postMessage({ response: 'got ' + message });
});`;

function createThread(timeout = 5_000) {
  return createWorkerThread<string, string, string, string>({
    program: new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`),
    maxOldGenerationSizeMb: 16,
    timeoutMs: timeout,
    queue: { maxWaiting: 10, retryAfterSeconds: 1 },
  });
}

test('runs one request after the other', async () => {
  const thread = createThread();
  assert.deepEqual(await Promise.all(['a', 'b'].map((each) => thread.run(each))), ['got a', 'got b']);
});

test('the thread can call back the program and receives the answer', async () => {
  const thread = createThread();
  const answer = async (question: string) => `answer to ${question}`;
  assert.equal(await thread.run('ask', { answerQuestion: answer }), 'got answer to what?');
});

test('fails the request whose callback fails, and serves the next one', async () => {
  const thread = createThread();
  const answer = () => Promise.reject(new Error('no answer'));
  await assert.rejects(thread.run('ask', { answerQuestion: answer }), { message: 'no answer' });
  assert.equal(await thread.run('a'), 'got a');
});

for (const [what, request, timeout] of [
  ['takes too long', 'loop', 1_000],
  ['takes too much memory', 'fill', 20_000],
  ['ends the program', 'throw', 5_000],
] as const) {
  test(`terminates a request that ${what}, and serves the next one`, async () => {
    const thread = createThread(timeout);
    await assert.rejects(thread.run(request), ThreadTerminated);
    assert.equal(await thread.run('a'), 'got a');
  });
}
