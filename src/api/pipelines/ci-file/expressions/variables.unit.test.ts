import assert from 'node:assert/strict';
import test from 'node:test';
import { type CiVariable, expandReferences, expandVariables } from './variables.ts';

const known = new Map([
  ['A', 'one'],
  ['B_2', 'two'],
]);

for (const [text, expected] of [
  ['$A', 'one'],
  [`\${A}s`, 'ones'],
  ['%A%', 'one'],
  ['$A/$B_2', 'one/two'],
  ['$AB', '$AB'],
  [`\${UNKNOWN}`, `\${UNKNOWN}`],
  ['$$A', '$$A'],
  ['$$$A', '$$one'],
  ['100% of $A', '100% of one'],
  ['50%A%', '50one'],
  ['$', '$'],
  ['${A', '${A'],
  ['$1', '$1'],
  ['plain', 'plain'],
] as const) {
  test(`${text} expands to ${expected}`, () => {
    assert.equal(
      expandReferences(text, (name) => known.get(name)),
      expected,
    );
  });
}

/** `raw:` and `file:` before a key say what it is. */
function expanded(entries: readonly (readonly [string, string])[]): string[] {
  const variables = entries.map(([name, value]): CiVariable => {
    const [key = '', kind] = name.split(':').reverse();
    return { key, value, raw: kind === 'raw', file: kind === 'file' };
  });
  return expandVariables(variables).map(({ value }) => value);
}

for (const [fact, entries, values] of [
  [
    'a value refers to another, wherever that stands',
    [
      ['A', '$B'],
      ['B', 'b'],
    ],
    ['b', 'b'],
  ],
  [
    'references go through several values',
    [
      ['A', '<$B>'],
      ['B', '[$C]'],
      ['C', 'c'],
    ],
    ['<[c]>', '[c]', 'c'],
  ],
  [
    'of a key that occurs twice the last entry counts',
    [
      ['A', '1'],
      ['B', '$A'],
      ['A', '2'],
    ],
    ['1', '2', '2'],
  ],
  [
    'what is unknown and what is escaped stays',
    [
      ['A', '$NO $$B'],
      ['B', 'b'],
    ],
    ['$NO $$B', 'b'],
  ],
  [
    'the value of a raw variable is left alone',
    [
      ['raw:A', '$B'],
      ['B', 'b'],
    ],
    ['$B', 'b'],
  ],
  [
    'references to raw and file variables stay',
    [
      ['A', '$R $F'],
      ['raw:R', 'r'],
      ['file:F', 'f'],
    ],
    ['$R $F', 'r', 'f'],
  ],
  [
    'a file holds what its references mean',
    [
      ['file:F', '$A'],
      ['A', 'a'],
    ],
    ['a', 'a'],
  ],
  ['a reference of a variable to itself stays', [['PATH', '$PATH:/x']], ['$PATH:/x']],
  [
    'with a circle nothing is replaced in any value',
    [
      ['A', '$B'],
      ['B', '$A'],
      ['C', '$D'],
      ['D', 'd'],
    ],
    ['$B', '$A', '$D', 'd'],
  ],
] as const) {
  test(fact, () => assert.deepEqual(expanded(entries), values));
}

test('does not expand values that would grow exponentially', () => {
  const entries = Array.from({ length: 60 }, (_, index) => [`V${index}`, `$V${index + 1}$V${index + 1}`] as const);
  assert.equal(expanded([...entries, ['V60', 'x']])[0], '$V1$V1');
});
