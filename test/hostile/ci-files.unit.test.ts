import assert from 'node:assert/strict';
import { type Answered, attack, startTarget } from './attack.ts';

// CI files of a few kilobytes that would take minutes and gigabytes to evaluate.

const target = await startTarget();
const { id } = await target.done('POST', '/projects', {
  name: 'victim',
  initialize_with_readme: true,
  visibility: 'public',
});

const times = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n');

const list = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, at) => item(at)).join(', ');

/** Ten variables, each twice as long as the one before: the last has half a million characters. */
const DOUBLING = `variables:\n  A0: ${'a'.repeat(1000)}\n${times(9, (at) => `  A${at + 1}: $A${at}$A${at}`)}\n`;

async function lint(content: string, dryRun = true): Promise<Answered> {
  const answer = await target.send('POST', `/projects/${id}/ci/lint`, {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ content, dry_run: dryRun, ref: 'main', include_jobs: true }),
  });
  assert.equal(answer.status, 200, answer.text.slice(0, 500));
  return answer;
}

// The same thread evaluates all files.
await lint('J: {script: x}');

const longText = 'x'.repeat(60_000);
const commit = `[${Array.from({ length: 200 }, (_, at) => at)}]`;

for (const [what, file, error] of [
  [
    'a matrix of long names',
    `.b: &b '${longText}'\n.m: &m {matrix: [{A: *b, B: ${commit}}]}\n${times(900, (at) => `j${at}: {script: x, parallel: *m}`)}`,
    /too big/,
  ],
  [
    'tags of half a megabyte',
    `${DOUBLING}.t: &t [${list(49, (at) => `"$A9 ${at}"`)}]\n${times(300, (at) => `j${at}: {script: x, tags: *t}`)}`,
    /tag is too long \(maximum is 255 characters\)/,
  ],
  [
    'a resource group of half a megabyte',
    `${DOUBLING}${times(300, (at) => `j${at}: {script: x, resource_group: "$A9"}`)}`,
    /resource group is too long \(maximum is 255 characters\)/,
  ],
  [
    'an environment of half a megabyte',
    `${DOUBLING}${times(300, (at) => `j${at}: {script: x, environment: {name: "$A9", auto_stop_in: "$A9"}}`)}`,
    /environment name is too long \(maximum is 255 characters\)/,
  ],
  [
    'globs of half a megabyte',
    `${DOUBLING}.r: &r [{exists: [${list(50, (at) => `"$CI_JOB_NAME$A9 ${at}"`)}]}]\n${times(150, (at) => `j${at}: {script: x, rules: *r}`)}`,
    /too big|would have been empty/,
  ],
  [
    'long conditions that all jobs share',
    `.r: &r\n${times(20, (at) => `  - if: '${Array(600).fill(`$A${at} == "b"`).join(' || ')}'`)}\n${times(900, (at) => `j${at}: {script: x, rules: *r}`)}`,
    /too big|would have been empty/,
  ],
  [
    'a regular expression over a long variable',
    `variables: {A: '${'a'.repeat(49_000)}'}\n.r: &r [{if: '$A =~ /(.?){750}[yz]/'}]\n${times(900, (at) => `j${at}: {script: x, rules: *r}`)}`,
    /too big/,
  ],
  [
    'a script of three megabytes in every job',
    `.b: &b '${longText}'\n.s: &s [${Array(50).fill('*b')}]\n${times(900, (at) => `j${at}: {script: *s}`)}`,
    /too big/,
  ],
  [
    'parallel jobs that need parallel jobs',
    `a: {stage: build, script: x, parallel: 200}\nb: {stage: build, script: x, parallel: 200}\nc: {script: x, needs: [a, b], parallel: 200}\nd: {script: x, needs: [a, b], parallel: 200}`,
    /can only need 50 others, but you have listed 400/,
  ],
  [
    'two hundred parallel jobs of nine hundred jobs',
    times(900, (at) => `j${at}: {script: x, parallel: 200}`),
    /exceeded the limit/,
  ],
] as const) {
  attack(`a CI file with ${what} is rejected quickly`, target, async () => {
    const started = performance.now();
    const [{ body }] = await Promise.all([lint(file), lint(file, false)]);
    assert.match(body.errors.join(), error);
    assert.ok(performance.now() - started < 30_000);
  });
}
