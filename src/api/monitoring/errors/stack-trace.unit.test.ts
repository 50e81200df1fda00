import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildStackTrace } from './stack-trace.ts';

// Stack traces of events (contract/monitoring.md §13 "Event").

const frame = (name: string) => ({ function: name, filename: `${name}.py`, lineno: 7 });
const stack = (...names: readonly string[]) => ({ stacktrace: { frames: names.map(frame) } });
const getFunctionNames = (event: Readonly<Record<string, unknown>>) =>
  buildStackTrace(event).map((call) => call.function);

test('returns the location of a frame and the numbered source lines around it', () => {
  const payloadFrame = {
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
  const location = { filename: 'polls/views.py', abs_path: '/srv/polls/views.py', function: 'index' };
  const expected = { lineNo: 15, colNo: 5, ...location, context };
  assert.deepEqual(buildStackTrace({ exception: { values: [{ stacktrace: { frames: [payloadFrame] } }] } }), [
    expected,
  ]);
});

test('limits a stack trace to its last frames and the nearest source lines', () => {
  const frames = Array.from({ length: 3000 }, (_, at) => ({ function: `f${at}` }));
  const trace = buildStackTrace({ exception: { stacktrace: { frames } } });
  assert.deepEqual([trace.length, trace[0]?.function, trace.at(-1)?.function], [1000, 'f2000', 'f2999']);
  const lines = Array.from({ length: 500 }, (_, at) => `${at}`);
  const payloadFrame = { lineno: 501, pre_context: lines, context_line: 'x', post_context: lines };
  const context = buildStackTrace({ exception: { stacktrace: { frames: [payloadFrame] } } })[0]?.context;
  assert.deepEqual([context?.length, context?.[0], context?.at(-1)], [201, [401, '400'], [601, '99']]);
});

test('accepts frames with missing or invalid values', () => {
  const empty = { lineNo: null, colNo: 0, filename: null, abs_path: null, function: null, context: [] };
  const frames = [{}, null, 'text', { function: {}, lineno: '7', context_line: 'x', colno: 1.5 }, { filename: 42 }];
  const trace = buildStackTrace({ exception: [{ stacktrace: { frames } }] });
  assert.deepEqual(trace, [empty, empty, { ...empty, filename: '42' }]);
});

test('uses the thrown exception, or else the last one with frames', () => {
  const values = [null, stack('a'), stack('b', 'c'), { type: 'B', stacktrace: { frames: [] } }, { type: 'A' }];
  assert.deepEqual(getFunctionNames({ exception: { values } }), ['b', 'c']);
  assert.deepEqual(getFunctionNames({ exception: values }), ['b', 'c']);
  assert.deepEqual(getFunctionNames({ exception: stack('f') }), ['f']);
  const thrown = { ...stack('d'), mechanism: { exception_id: 0 } };
  const cause = { ...stack('e'), mechanism: { exception_id: 1, parent_id: 0 } };
  assert.deepEqual(getFunctionNames({ exception: [thrown, cause] }), ['d']);
});

test('uses the stack of the event itself before those of other exceptions, and a template as the only frame', () => {
  const event = { exception: [stack('a'), { type: 'B' }], ...stack('c') };
  assert.deepEqual(getFunctionNames(event), ['c']);
  assert.deepEqual(getFunctionNames({ 'sentry.interfaces.Stacktrace': { frames: [frame('d')] } }), ['d']);
  const template = { filename: 'index.html', lineno: 2, context_line: '{{ x }}' };
  const expected = { lineNo: 2, colNo: 0, filename: 'index.html', abs_path: null, function: null };
  assert.deepEqual(buildStackTrace({ template }), [{ ...expected, context: [[2, '{{ x }}']] }]);
  assert.deepEqual(getFunctionNames({ template, ...stack('e') }), ['e']);
});

test('uses the first thread with frames if no exception has any', () => {
  const threads = { values: [{ id: 1 }, stack('g', 'h'), stack('i')] };
  assert.deepEqual(getFunctionNames({ exception: [{ type: 'A' }], threads }), ['g', 'h']);
  assert.deepEqual(getFunctionNames({ threads: threads.values }), ['g', 'h']);
  assert.deepEqual(getFunctionNames({ exception: stack('c'), threads }), ['c']);
  for (const invalid of [{}, { exception: null }, { exception: 'x', threads: 7 }, { exception: { values: 7 } }]) {
    assert.deepEqual(getFunctionNames(invalid), []);
  }
});
