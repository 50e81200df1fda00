import assert from 'node:assert/strict';
import test from 'node:test';
import { findConfigurationError, planRequiredPipeline } from './plan/fixtures.testing.ts';

test('merges keys of extended jobs; own keys take precedence, then the last extended job', async () => {
  const { jobs } = await planRequiredPipeline(`
.a: {script: a, tags: [a, b], variables: {X: a, Y: a}, image: one}
.b: {extends: .a, script: b, variables: {Y: b}}
.c: {tags: [c]}
J: {extends: [.b, .c], variables: {Z: j}}`);
  const [job] = jobs;
  assert.deepEqual([job!.options.script, job!.tags, job!.options.image?.name], [['b'], ['c'], 'one']);
  assert.deepEqual(Object.fromEntries(job!.options.variables.map(({ key, value }) => [key, value])), {
    X: 'a',
    Y: 'b',
    Z: 'j',
  });
});

test('limits extends to eleven levels, wherever the bases are in the file', async () => {
  const lines = Array.from({ length: 10 }, (_, index) => `.t${index}: {extends: .t${index + 1}}`);
  const chains = [lines.join('\n'), lines.toReversed().join('\n')];
  for (const chain of chains) {
    const bases = `.t10: {script: a}\n${chain}`;
    assert.equal(await findConfigurationError(`${bases}\nJ: {extends: .t0}`), null);
    assert.equal(
      await findConfigurationError(`${bases}\n.t: {extends: .t0}\nJ: {extends: .t}`),
      '.t9: nesting too deep in `extends`',
    );
  }
});

test('resolves anchors and merge keys in file order', async () => {
  const { jobs } = await planRequiredPipeline(`
.base: &base {image: one, script: &script [a, b]}
J: {<<: *base, image: two}
K: {script: [*script, c]}
L: {<<: [{image: first}, *base]}
M: {image: own, <<: *base}`);
  assert.deepEqual(
    jobs.map(({ options }) => [options.image?.name ?? null, options.script]),
    [
      ['two', ['a', 'b']],
      [null, ['a', 'b', 'c']],
      ['first', ['a', 'b']],
      ['one', ['a', 'b']],
    ],
  );
});

test('resolves references, also nested ones', async () => {
  const { jobs } = await planRequiredPipeline(`
.one: {script: [a, b]}
.two: {script: [!reference [.one, script], c]}
J: {script: [!reference [.two, script], d], rules: !reference [.rules, rules]}
.rules: {rules: [{when: manual}]}`);
  assert.deepEqual([jobs[0]!.options.script, jobs[0]!.when], [['a', 'b', 'c', 'd'], 'manual']);
  const chain = Array.from({ length: 14 }, (_, at) => `.r${at}: {script: !reference [.r${at + 1}, script]}`).join('\n');
  assert.equal(
    await findConfigurationError(`${chain}\n.r14: {script: x}\nJ: {script: !reference [.r0, script]}`),
    null,
  );
  const ring = '.a: {script: !reference [.b, script]}\n.b: {script: !reference [.a, script]}\nJ: {script: x}';
  assert.match((await findConfigurationError(ring))!, /circular chain/);
});

test('resolves extends before references', async () => {
  const { jobs } = await planRequiredPipeline(`
.one: {script: [one], variables: {N: "1"}}
.two: {extends: .one}
.three: {variables: {M: "2"}}
J: {extends: .three, script: [!reference [.two, script]], variables: !reference [.one, variables]}`);
  const [job] = jobs;
  assert.deepEqual(job!.options.script, ['one']);
  assert.deepEqual(job!.options.variables, [{ key: 'N', value: '1', raw: false }]);
});

test('merges nested includes first; the file itself takes precedence', async () => {
  const files = {
    'ci/a.yml': 'include: /ci/b.yaml\nJ: {script: a, image: a}\n.t: {tags: [t]}',
    'ci/b.yaml': 'J: {script: b, stage: deploy}',
  };
  const { jobs } = await planRequiredPipeline('include: [{local: ci/a.yml}]\nJ: {extends: .t, image: own}', {}, files);
  const [job] = jobs;
  assert.deepEqual(
    [job!.stage, job!.options.script, job!.options.image?.name, job!.tags],
    ['deploy', ['a'], 'own', ['t']],
  );
});

test('stops at circular includes', async () => {
  const files = {
    'a.yml': 'include: b.yml\nA: {script: a}',
    'b.yml': 'include: [a.yml, .gitlab-ci.yml]\nB: {script: b}',
  };
  const { jobs } = await planRequiredPipeline('include: a.yml\nJ: {script: j}', {}, files);
  assert.deepEqual(jobs.map(({ name }) => name).sort(), ['A', 'B', 'J']);
});

test('limits includes to 150 files', async () => {
  const count = (files: number) =>
    findConfigurationError(
      `include: [${Array.from({ length: files }, (_, index) => `f${index}.yml`)}]\nJ: {script: j}`,
      Object.fromEntries(Array.from({ length: files }, (_, index) => [`f${index}.yml`, `.t${index}: {script: a}`])),
    );
  assert.equal(await count(150), null);
  assert.equal(await count(151), 'Maximum of 150 nested includes are allowed!');
});

test('names the included file in an error', async () => {
  assert.match(
    (await findConfigurationError('include: a.yml\nJ: {script: j}', { 'a.yml': 'a: [' }))!,
    /^`a\.yml`: .* at line 1 column 5$/,
  );
});

test('keys before a merge key are overridden by it, keys after it stay', async () => {
  const { jobs } = await planRequiredPipeline(`
.p: &p {stage: build}
J:
  stage: deploy
  <<: *p
  script: x
K:
  <<: *p
  stage: deploy
  script: x
`);
  assert.deepEqual(
    jobs.map(({ name, stage }) => `${name} ${stage}`),
    ['J build', 'K deploy'],
  );
});

test('a reference may name a value that a hidden job inherits by extends', async () => {
  const { jobs } = await planRequiredPipeline(`
.b: {script: [one]}
.c: {extends: .b}
J:
  script:
    - !reference [.c, script]
`);
  assert.deepEqual(jobs[0]!.options.script, ['one']);
});

test('a variable without a value is an empty text', async () => {
  const { jobs } = await planRequiredPipeline('J:\n  variables:\n    X:\n  script: x\n');
  assert.deepEqual(
    jobs[0]!.options.variables.map(({ key, value }) => [key, value]),
    [['X', '']],
  );
});

test('a quoted text may continue at the column of its key', async () => {
  const text = `J:\n  script: x\n  rules:\n    - if: '$A == "b" &&\n    $C'\n`;
  const { jobs } = await planRequiredPipeline(text, { variables: { A: 'b', C: 'c' } });
  assert.deepEqual(
    jobs.map(({ name }) => name),
    ['J'],
  );
});

test('empty items of needs are ignored', async () => {
  const { jobs } = await planRequiredPipeline('B: {script: x}\nJ: {script: x, needs: [null, B]}');
  const names = jobs.map(({ name, needs }) => `${name} needs ${needs?.map(({ job }) => job)}`);
  assert.deepEqual(names, ['B needs undefined', 'J needs B']);
});
