import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMarkupQueue, MAX_MARKUP_LENGTH, type MarkupRequest, type MarkupWorker } from './markup.ts';

type Behaviour = (worker: MarkupWorker, request: MarkupRequest) => void;

/** Returns a function that starts workers which behave like this, and what happened to them. */
function fakeWorkers(behave: Behaviour) {
  const events: string[] = [];
  const start = (): MarkupWorker => {
    events.push('start');
    const worker: MarkupWorker = {
      onmessage: null,
      onerror: null,
      postMessage: (request) => behave(worker, request),
      terminate: () => events.push('terminate'),
    };
    return worker;
  };
  return { start, events };
}

const code = (text: string): MarkupRequest => ({ kind: 'code', text, language: 'c' });

const answer: Behaviour = (worker, { text }) => {
  queueMicrotask(() => {
    worker.onmessage?.({ data: { kind: 'started' } });
    worker.onmessage?.({ data: { kind: 'html', html: text.toUpperCase() } });
  });
};

test('one worker formats all texts', async () => {
  const { start, events } = fakeWorkers(answer);
  const format = createMarkupQueue(start);
  assert.deepEqual(await Promise.all([format(code('a')), format(code('b'))]), ['A', 'B']);
  assert.deepEqual(events, ['start']);
});

test('a text that takes too long stays plain, and the next ones are formatted', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { start, events } = fakeWorkers((worker, request) => {
    if (request.text !== 'slow') return answer(worker, request);
    worker.onmessage?.({ data: { kind: 'started' } });
    queueMicrotask(() => t.mock.timers.tick(1_000));
  });
  const format = createMarkupQueue(start);
  assert.deepEqual(await Promise.all([format(code('slow')), format(code('b'))]), [null, 'B']);
  assert.deepEqual(events, ['start', 'terminate', 'start']);
});

test('loading the worker has no limit of time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { start } = fakeWorkers((worker, request) => {
    queueMicrotask(() => {
      t.mock.timers.tick(60_000);
      answer(worker, request);
    });
  });
  assert.equal(await createMarkupQueue(start)(code('a')), 'A');
});

test('a worker that fails or cannot start leaves the text plain', async () => {
  const failing = fakeWorkers((worker, { text }) =>
    text === 'bad' ? queueMicrotask(() => worker.onerror?.(undefined as never)) : answer(worker, code(text)),
  );
  const format = createMarkupQueue(failing.start);
  assert.deepEqual(await Promise.all([format(code('bad')), format(code('b'))]), [null, 'B']);
  let count = 0;
  const starting = createMarkupQueue(() => {
    if (count++ === 0) throw new Error('blocked');
    return fakeWorkers(answer).start();
  });
  await assert.rejects(starting(code('a')), /blocked/);
  assert.equal(await starting(code('b')), 'B');
});

test('long texts are not formatted', async () => {
  const { start, events } = fakeWorkers(answer);
  assert.equal(await createMarkupQueue(start)(code('x'.repeat(MAX_MARKUP_LENGTH + 1))), null);
  assert.deepEqual(events, []);
});
