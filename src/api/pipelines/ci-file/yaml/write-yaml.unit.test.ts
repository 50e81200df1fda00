import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EffortBudget } from './effort-budget.ts';
import { parseYaml } from './read-yaml.ts';
import { type CiMap, type CiValue, toJsonValue } from './values.ts';
import { toYaml } from './write-yaml.ts';

// A CI file as it is shown with all that it includes (contract/runners.md §4.9).

function ciValue(value: unknown): CiValue {
  if (Array.isArray(value)) return value.map(ciValue);
  if (typeof value !== 'object' || value === null) return value as CiValue;
  return new Map(Object.entries(value).map(([key, each]) => [key, ciValue(each)]));
}

const written = (file: object) => toYaml(ciValue(file) as CiMap);

test('a file is written as people write it', async () => {
  const script = ['echo "a: b"', 'make test', { nested: [['a', null], [], {}] }];
  const job = { script, variables: { A: '1', B: 'yes', C: "it's", D: '' }, when: 'manual', timeout: 3, retry: null };
  assert.equal(
    await written({
      stages: ['build'],
      unit: { ...job, text: 'one\n\ntwo\n', cut: 'a\nb', long: 'a\n\n', odd: ' a\tb' },
    }),
    `---
stages:
- build
unit:
  script:
  - 'echo "a: b"'
  - make test
  - nested:
    - - a
      -
    - []
    - {}
  variables:
    A: '1'
    B: 'yes'
    C: it's
    D: ''
  when: manual
  timeout: 3
  retry:
  text: |
    one

    two
  cut: |-
    a
    b
  long: |+
    a

  odd: " a\\tb"
`,
  );
  assert.equal(await written({}), '--- {}\n');
});

/** What is hard to write: what looks like something else, and what ends or begins in odd ways. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.stringMatching(/^[-?:,[\]{}#&*!|>'"%@` \n\t.~0-9exyn<=]{0,8}$/),
  fc.constantFrom(
    'true',
    'No',
    '~',
    'null',
    '---',
    '...',
    '.inf',
    '1e3',
    '0o7',
    '2020-01-01',
    '<<',
    '=',
    '\u2028',
    'a:',
    '# a',
    'a #b',
    'a\n ',
    '\na',
  ),
);
/** A key `<<` merges even in quotes. */
const key = text.filter((each) => each !== '<<');
const scalar = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(key, tie('tree'), { maxKeys: 3 }),
  ),
}));

test('writes YAML that parses to the same value', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(key, tree, { maxKeys: 3 }), async (file) => {
      const value = ciValue(file);
      const read = parseYaml((await toYaml(value as CiMap)) ?? '', new EffortBudget()).content ?? new Map();
      assert.deepEqual(toJsonValue(read), toJsonValue(value));
    }),
    { numRuns: 500 },
  );
});

test('a file whose text would be endless, for it uses one thing very often, is not written', async () => {
  const long = 'x'.repeat(60_000);
  assert.equal(await written({ a: Array.from({ length: 100 }, () => long) }), null);
});
