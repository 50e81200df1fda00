import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJsonIncrementally } from './incremental-json.ts';

/** Longer than any text that is parsed at once. */
const long = (size = 20_000) =>
  Array.from({ length: size }, (_, index) => ({ [`key ${index}`]: [index, 'é"\\', null] }));

const GOOD = {
  'a list': JSON.stringify(long()),
  'an object of many members': JSON.stringify(Object.assign({}, ...long())),
  'blanks everywhere': JSON.stringify({ a: long(500), b: { c: long(500) } }, null, '\t'),
  'a member named __proto__': `{"__proto__":${JSON.stringify(long(900))},"toString":1}`,
  'a name that comes twice': `{"a":1,"b":${JSON.stringify(long(900))},"a":2}`,
  'one long text': JSON.stringify(`a "quoted" ${'\\'.repeat(20_000)}`),
  'numbers without end': JSON.stringify(Array.from({ length: 9_000 }, (_, index) => index / 7)),
  'members named __proto__ among many': `{"a":1,"__proto__":{"b":1},${'"c":1,'.repeat(9_000)}"__proto__":2}`,
  'one deep value': `${'['.repeat(90)}${JSON.stringify(long(900))}${']'.repeat(90)}`,
  'brackets in texts': JSON.stringify({ a: ']}'.repeat(9_000), b: '[{"'.repeat(9_000) }),
};

for (const [what, text] of Object.entries(GOOD)) {
  test(`parses ${what} like JSON.parse`, async () => {
    assert.deepEqual(await parseJsonIncrementally(text), JSON.parse(text));
  });
}

const LIST = JSON.stringify(long(900));

for (const text of [
  `${LIST},`,
  `${LIST}]`,
  LIST.slice(0, -1),
  `[${LIST},]`,
  `[${LIST} ${LIST}]`,
  `[,${LIST}]`,
  `[,${'x'.repeat(9_000)}]`,
  `[${LIST}, ]`,
  `[${'1,'.repeat(9_000)}]`,
  `[${'1,'.repeat(9_000)}1}`,
  `[${'1,'.repeat(9_000)},1]`,
  `{${'"a":1,'.repeat(9_000)}}`,
  `{${'"a":1,'.repeat(9_000)}"b":1]`,
  `{,"a":${LIST}}`,
  `{"a":${LIST},}`,
  `{"a" ${LIST}}`,
  `{"a":${LIST}]`,
  `{a:${LIST}}`,
  `{"a":${LIST},"b"}`,
  `{"a":${LIST},"b":}`,
  `{"a":${LIST},"b":nul}`,
  `{"a":${LIST},"b":1 2}`,
  `{"a":${LIST},"b":"}`,
  `[${LIST},01]`,
  `[${LIST},"\n"]`,
  `[${LIST},"\\`,
]) {
  test(`rejects invalid JSON: ${text.slice(0, 6)}..${text.slice(-6)}`, async () => {
    assert.throws(() => JSON.parse(text), SyntaxError);
    await assert.rejects(parseJsonIncrementally(text), SyntaxError);
  });
}

test('parsing very many objects does not block the event loop', async () => {
  const text = JSON.stringify(Array.from({ length: 60_000 }, (_, index) => ({ [index.toString(36)]: {} })));
  let turns = 0;
  let going = true;
  const turn = () => {
    turns++;
    if (going) setImmediate(turn);
  };
  setImmediate(turn);
  await parseJsonIncrementally(text);
  going = false;
  assert.ok(turns > 1, `${turns} turns`);
});
