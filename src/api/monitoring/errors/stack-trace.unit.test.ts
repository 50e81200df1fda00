import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stackOf } from './stack-trace.ts';

// The stack that an event shows (contract/monitoring.md §13 "Event").

const frame = (name: string) => ({ function: name, filename: `${name}.py`, lineno: 7 });
const stack = (...names: readonly string[]) => ({ stacktrace: { frames: names.map(frame) } });
const namesOf = (event: Readonly<Record<string, unknown>>) => stackOf(event).map((one) => one.function);

test('a frame has its place and the lines around it, each with its number', () => {
  const sent = {
    filename: 'polls/views.py',
    abs_path: '/srv/polls/views.py',
    function: 'index',
    module: 'polls.views',
    lineno: 15,
    colno: 5,
    pre_context: [null, 'def index(request):'],
    context_line: '    1/0',
    post_context: ['', null, 'x'],
  };
  const context = [
    [14, 'def index(request):'],
    [15, '    1/0'],
    [16, ''],
    [18, 'x'],
  ];
  const place = { filename: 'polls/views.py', abs_path: '/srv/polls/views.py', function: 'index' };
  const shown = { lineNo: 15, colNo: 5, ...place, context };
  assert.deepEqual(stackOf({ exception: { values: [{ stacktrace: { frames: [sent] } }] } }), [shown]);
});

test('of a stack without end the last calls are shown, and of their lines the nearest ones', () => {
  const frames = Array.from({ length: 3000 }, (_, at) => ({ function: `f${at}` }));
  const shown = stackOf({ exception: { stacktrace: { frames } } });
  assert.deepEqual([shown.length, shown[0]?.function, shown.at(-1)?.function], [1000, 'f2000', 'f2999']);
  const lines = Array.from({ length: 500 }, (_, at) => `${at}`);
  const sent = { lineno: 501, pre_context: lines, context_line: 'x', post_context: lines };
  const context = stackOf({ exception: { stacktrace: { frames: [sent] } } })[0]?.context;
  assert.deepEqual([context?.length, context?.[0], context?.at(-1)], [201, [401, '400'], [601, '99']]);
});

test('a frame that says little is shown with what it says', () => {
  const empty = { lineNo: null, colNo: 0, filename: null, abs_path: null, function: null, context: [] };
  const frames = [{}, null, 'text', { function: {}, lineno: '7', context_line: 'x', colno: 1.5 }, { filename: 42 }];
  assert.deepEqual(stackOf({ exception: [{ stacktrace: { frames } }] }), [empty, empty, { ...empty, filename: '42' }]);
});

test('the exception is the first that has frames, in any of the three forms', () => {
  const values = [null, { type: 'A' }, { type: 'B', stacktrace: { frames: [] } }, stack('c', 'd'), stack('e')];
  assert.deepEqual(namesOf({ exception: { values } }), ['c', 'd']);
  assert.deepEqual(namesOf({ exception: values }), ['c', 'd']);
  assert.deepEqual(namesOf({ exception: stack('f') }), ['f']);
});

test('without one it is the first thread that has frames, and otherwise nothing', () => {
  const threads = { values: [{ id: 1 }, stack('g', 'h'), stack('i')] };
  assert.deepEqual(namesOf({ exception: [{ type: 'A' }], threads }), ['g', 'h']);
  assert.deepEqual(namesOf({ threads: threads.values }), ['g', 'h']);
  assert.deepEqual(namesOf({ exception: stack('c'), threads }), ['c']);
  for (const odd of [{}, { exception: null }, { exception: 'x', threads: 7 }, { exception: { values: 7 } }]) {
    assert.deepEqual(namesOf(odd), []);
  }
});
