import assert from 'node:assert/strict';
import test from 'node:test';
import { EffortBudget } from './effort-budget.ts';
import { parseYaml } from './read-yaml.ts';
import { toJsonValue } from './values.ts';

const parse = (text: string) => {
  const { header, content } = parseYaml(text, new EffortBudget());
  return { header: toJsonValue(header), content: JSON.parse(JSON.stringify(toJsonValue(content))) };
};

for (const [text, content] of [
  ['.p: &p {a: 1}\n.q: &q {a: 2}\nJ:\n  <<: *p\n  <<: *q', { '.p': { a: 1 }, '.q': { a: 2 }, J: { a: 2 } }],
  ['.p: &p {a: 1, b: 1}\nJ:\n  a: 2\n  <<: *p\n  b: 3', { '.p': { a: 1, b: 1 }, J: { a: 1, b: 3 } }],
  ['.p: &p {a: 1}\nJ:\n  "<<": *p', { '.p': { a: 1 }, J: { a: 1 } }],
  ['J: {a: 0, <<: [{a: 1}, {a: 2, b: 2}]}', { J: { a: 1, b: 2 } }],
  ['J: {<<: , a: 1}', { J: { '<<': null, a: 1 } }],
  ['J: {<<: text}', { J: { '<<': 'text' } }],
  ["a:\n  b: 'x\n  y'\n  c: z", { a: { b: 'x y', c: 'z' } }],
  ['a:\n  - "x\ny"\n  - z', { a: ['x y', 'z'] }],
  ["a:\n  - b: 'x &&\n    y'", { a: [{ b: 'x && y' }] }],
  ['a:\n  b: [\nx,\n y\n]\n  c: z', { a: { b: ['x', 'y'], c: 'z' } }],
  ['a:\n  b: {\nx: "1\n2"\n}\n  c: z', { a: { b: { x: '1 2' }, c: 'z' } }],
  ['a: |\n  x\n  y', { a: 'x\ny' }],
  ['a: |\n  x\n  y\n', { a: 'x\ny\n' }],
  ['a: |+\n  x', { a: 'x' }],
  ['a: |\n  x\n  ', { a: 'x\n' }],
  ['a: |\n  x\n# y', { a: 'x\n' }],
  ['a:\n  - >\n    x\n    y', { a: ['x y'] }],
  ['a: !other {b: !tag text}', { a: { b: 'text' } }],
  ['a: [0755, 12:30, 1.10, yes, 2024-01-01, 1_000]', { a: ['0755', '12:30', '1.10', 'yes', '2024-01-01', '1_000'] }],
] as const) {
  test(`parses ${JSON.stringify(text)}`, () => assert.deepEqual(parse(text).content, content));
}

for (const [text, header, content] of [
  ['spec: {a: 1}', null, { spec: { a: 1 } }],
  ['spec: {a: 1}\n---\nb: 2', { spec: { a: 1 } }, { b: 2 }],
  ['---\nspec: {a: 1}\n---\nb: 2\n---\nc: 3', { spec: { a: 1 } }, { b: 2 }],
  ['a: 1\n---\nb: 2', null, { a: 1 }],
  ['---\n---\nb: 2', null, { b: 2 }],
  ['# comment', null, null],
] as const) {
  test(`finds the header and the content of ${JSON.stringify(text)}`, () =>
    assert.deepEqual(JSON.parse(JSON.stringify(parse(text))), { header, content }));
}
