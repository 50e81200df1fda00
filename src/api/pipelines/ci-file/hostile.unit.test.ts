import assert from 'node:assert/strict';
import test from 'node:test';
import { findConfigurationError, planFile } from './plan/fixtures.testing.ts';

/** Files that want to keep a server busy: each is refused before much is done about it. */
const MEGABYTE = 1024 * 1024;
const JOB = '\nJ: {script: a}\n';

function doubling(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let at = 1; at < 12; at++) lines.push(`a${at}: &a${at} [${Array(9).fill(`*a${at - 1}`)}]`);
  return lines.join('\n') + JOB;
}

const words = (count: number, word: (index: number) => string) =>
  Array.from({ length: count }, (_, at) => word(at)).join(' ');
const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n');

for (const [what, file] of [
  ['aliases that explode', doubling()],
  [
    'aliases that go deeper and deeper',
    `a0: &a0 [x]\n${lines(2000, (at) => `a${at + 1}: &a${at + 1} [*a${at}]`)}${JOB}`,
  ],
  [
    'merge keys that copy and copy',
    `a: &a {${words(1000, (at) => `k${at}: 1,`)}}\n${lines(2000, (at) => `b${at}: {<<: *a}`)}${JOB}`,
  ],
  ['ten thousand jobs', lines(10_000, (at) => `job${at}: {script: echo}`)],
  ['one key of a megabyte', `${'k'.repeat(MEGABYTE - 10)}: 1`],
  ['one value of a megabyte', `a: ${'v'.repeat(MEGABYTE - 10)}`],
  ['a megabyte of brackets', `a: ${'['.repeat(MEGABYTE - 10)}`],
  ['a megabyte of small arrays', `a: [${'[],'.repeat(MEGABYTE / 4)}]`],
  ['maps in maps', lines(1000, (at) => `${' '.repeat(at)}a:`)],
  ['a megabyte of line feeds', '\n'.repeat(MEGABYTE)],
  ['a megabyte of quotes', '"'.repeat(MEGABYTE)],
  ['a megabyte of documents', '---\n'.repeat(MEGABYTE / 4)],
  [
    'more than a megabyte',
    `J:\n  script:\n${'    - some long command of a script that goes on and on and on\n'.repeat(17_000)}`,
  ],
  ['a list that is too long', `J:\n  script:\n${'    - a\n'.repeat(15_000)}`],
  [
    'a template that a thousand jobs copy',
    `.t: {variables: {${words(1000, (at) => `V${at}: 1,`)}}}\n${lines(1000, (at) => `j${at}: {extends: .t, script: a, variables: {A: 1}}`)}`,
  ],
  [
    'references that explode',
    `.r0: {script: [x, x, x, x, x, x, x, x, x, x]}\n${lines(9, (at) => `.r${at + 1}: {script: [${Array(10).fill(`!reference [.r${at}, script]`)}]}`)}${JOB}`,
  ],
] as const) {
  test(`rejects ${what} as too large`, async () =>
    assert.match((await findConfigurationError(file))!, /The parsed YAML is too big|Please provide content/));
}

test('a thousand jobs with fifty needs each can be planned', async () => {
  const first = lines(50, (at) => `a${at}: {stage: build, script: x}`);
  const needs = Array.from({ length: 50 }, (_, at) => `a${at}`);
  const plan = await planFile(`${first}\n.n: &n [${needs}]\n${lines(900, (at) => `b${at}: {script: x, needs: *n}`)}`);
  assert.ok(typeof plan === 'object' && 'jobs' in plan);
  assert.equal(plan.jobs.length, 950);
});

test('resolves a long chain of needs', async () => {
  const chain = lines(900, (at) => `j${at}: {script: x, needs: [j${(at + 1) % 900}]}`);
  assert.match((await findConfigurationError(chain))!, /^The pipeline has circular dependencies: j0, j1, /);
});

test('rejects a file that expands to thousands of rules for each of many jobs', async () => {
  const rules = lines(1000, () => '  - {if: $A == "b"}');
  const file = `.r: &r\n${rules}\n${lines(300, (at) => `j${at}: {script: x, rules: *r}`)}`;
  assert.equal(await findConfigurationError(file), 'The parsed YAML is too big');
});

test('rejects regular expressions that are too large to compile', async () => {
  const rules = lines(200, (at) => `  - if: $A =~ /(a{1,${800 + at}}b)c/`);
  assert.equal(
    await findConfigurationError(`J:\n  script: x\n  rules:\n${rules}`),
    'jobs:j:rules:rule if invalid expression syntax',
  );
});
