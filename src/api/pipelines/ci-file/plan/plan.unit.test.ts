import assert from 'node:assert/strict';
import test from 'node:test';
import { listPlannedJobNames, planFile, planRequiredPipeline, type TestContext } from './fixtures.testing.ts';

/** The only job of a file, with these lines. */
async function theJob(lines: string, context: TestContext = {}) {
  const plan = await planRequiredPipeline(`J:\n  script: make\n  ${lines.replaceAll('\n', '\n  ')}\n`, context);
  return plan.jobs[0]!;
}

test('orders jobs by stage, then by their order in the file', async () => {
  const file =
    'stages: [one, two]\nb: {stage: two, script: x}\n"10": {stage: one, script: x}\na: {stage: one, script: x}';
  const { jobs } = await planRequiredPipeline(
    `${file}\nlast: {stage: .post, script: x}\nfirst: {stage: .pre, script: x}`,
  );
  assert.deepEqual(
    jobs.map(({ name, stage, stageIndex }) => [name, stage, stageIndex]),
    [
      ['first', '.pre', 0],
      ['10', 'one', 1],
      ['a', 'one', 1],
      ['b', 'two', 2],
      ['last', '.post', 3],
    ],
  );
});

test('a job that says nothing is in stage test, runs on success, needs all earlier stages and may not fail', async () => {
  const {
    stage,
    when,
    needs,
    allowFailure,
    tags,
    environment,
    resourceGroup,
    timeoutSeconds: timeout,
    options,
  } = await theJob('');
  assert.deepEqual([stage, when, needs, allowFailure, tags], ['test', 'on_success', null, false, []]);
  assert.deepEqual([environment, resourceGroup, timeout], [null, null, null]);
  assert.deepEqual(options.script, ['make']);
  assert.deepEqual([options.after_script, options.image, options.artifacts, options.retry], [null, null, null, null]);
});

test('allows the failure of a manual job, but not of one made manual by a rule', async () => {
  const facts = async (lines: string) => {
    const { when, allowFailure } = await theJob(lines);
    return [when, allowFailure];
  };
  assert.deepEqual(await facts('when: manual'), ['manual', true]);
  assert.deepEqual(await facts('when: manual\nallow_failure: false'), ['manual', false]);
  assert.deepEqual(await facts('rules: [{when: manual}]'), ['manual', false]);
  assert.deepEqual(await facts('rules: [{when: manual, allow_failure: true}]'), ['manual', true]);
  assert.deepEqual(await facts('when: manual\nrules: [{if: $CI_JOB_NAME}]'), ['manual', true]);
  assert.deepEqual(await facts('when: manual\nrules: [{when: on_success}]'), ['on_success', true]);
  assert.deepEqual(await facts('when: manual\nrules: [{allow_failure: false}]'), ['manual', false]);
  assert.deepEqual(await facts('allow_failure: true\nrules: [{when: on_failure}]'), ['on_failure', true]);
});

test('applies the first matching rule and omits a job without one', async () => {
  const rules = 'rules: [{if: $NO}, {if: $YES, variables: {FROM: rule}}, {when: never}]';
  const { options } = await theJob(`variables: {FROM: job}\n${rules}`, { variables: { YES: '1' } });
  assert.deepEqual(options.variables.at(-1), { key: 'FROM', value: 'rule', raw: false });
  assert.equal(await planFile(`J: {script: a, ${rules}}`), 'empty');
  assert.equal(await planFile('J: {script: a, rules: [{if: $NO}]}'), 'empty');
});

test('treats a pipeline of only .pre and .post jobs as empty', async () => {
  assert.equal(await planFile('A: {stage: .pre, script: a}\nB: {stage: .post, script: a}'), 'empty');
});

test('rules of workflow decide about the pipeline, and give it variables and a name', async () => {
  const file = `workflow: {name: "$KIND of $REF", rules: [{if: $REF == "no", when: never}, {if: $REF, variables: {KIND: run}}]}
variables: {KIND: none}
J: {script: a, rules: [{if: $KIND == "run"}]}`;
  assert.equal(await planFile(file), 'excluded');
  assert.equal(await planFile(file, { variables: { REF: 'no' } }), 'excluded');
  const plan = await planRequiredPipeline(file, { variables: { REF: 'yes' } });
  assert.deepEqual([plan.name, plan.jobs.length], ['run of yes', 1]);
});

for (const [lines, context, runs] of [
  ['only: [main]', {}, true],
  ['only: [other]', {}, false],
  ['only: [branches]', {}, true],
  ['only: [tags]', {}, false],
  ['only: [tags]', { tag: true }, true],
  ['only: [pushes]', {}, true],
  ['only: [push]', {}, true],
  ['except: [push]', {}, false],
  ['only: [schedule]', { source: 'schedule' }, true],
  ['only: [apis]', { source: 'api' }, true],
  ['only: [webs]', { source: 'web' }, true],
  ['only: [api]', { ref: 'api' }, true],
  ['only: ["/^ma/@team/app"]', {}, true],
  ['only: ["/a@b/"]', { ref: 'a@b' }, false],
  ['only: []', {}, false],
  ['only: [pushes]', { source: 'api' }, false],
  ['only: [api, schedules]', { source: 'schedule' }, true],
  ['only: [web]', { source: 'api' }, false],
  ['only: [/^ma/]', {}, true],
  ['only: [/^MA/]', {}, false],
  ['only: [/^MA/i]', {}, true],
  ['only: [main@team/app]', {}, true],
  ['only: [main@other/app]', {}, false],
  ['only: [/^m/@team/app]', {}, true],
  ['only: {refs: [main], variables: [$YES]}', {}, false],
  ['only: {refs: [main], variables: [$YES]}', { variables: { YES: '1' } }, true],
  ['only: {changes: [src/*]}', { changedPaths: ['src/a'] }, true],
  ['only: {changes: [src/*]}', { changedPaths: ['doc/a'] }, false],
  ['only: {changes: [src/*]}', {}, true],
  ['only: {kubernetes: active}', {}, false],
  ['except: [main]', {}, false],
  ['except: [other]', {}, true],
  ['except: {refs: [other], variables: [$YES]}', { variables: { YES: '1' } }, false],
  ['only: [branches]\nexcept: [main]', {}, false],
  ['rules: [{changes: [src/*]}]', { changedPaths: ['src/a'] }, true],
  ['rules: [{changes: [src/*]}]', { changedPaths: ['doc/a'] }, false],
  ['rules: [{changes: {paths: ["$DIR/**/*"]}}]', { changedPaths: ['src/a/b'], variables: { DIR: 'src' } }, true],
  ['rules: [{changes: [src/*]}]', {}, true],
  ['rules: [{changes: [/src/a]}]', { changedPaths: ['src/a'] }, false],
  ['rules: [{changes: []}]', { changedPaths: ['src/a'] }, false],
  ['only: {changes: ["$DIR/*"]}', { changedPaths: ['src/a'], variables: { DIR: 'src' } }, false],
  ['rules: [{exists: Dockerfile}]', { files: ['Dockerfile'] }, true],
  ['rules: [{exists: Dockerfile}]', { files: ['a/Dockerfile'] }, false],
  ['rules: [{exists: [/Dockerfile]}]', { files: ['Dockerfile'] }, false],
  ['rules: [{exists: [docs/]}]', { files: ['docs/a'] }, true],
  ['rules: [{exists: [docs]}]', { files: ['docs/a'] }, false],
  ['rules: [{exists: ["$FILE"]}]', { files: ['a'], variables: { FILE: 'a' } }, true],
  ['rules: [{exists: {paths: [a]}}]', { files: ['a'] }, true],
  ['rules: [{exists: []}]', { files: ['a'] }, false],
  ['rules: [{exists: ["**/*.py"]}]', { files: ['a/b.py'] }, true],
  ['rules: [{exists: ["**/*.py"]}]', { files: ['a/b.js'] }, false],
  ['rules: [{if: $A, changes: [src/*]}]', { changedPaths: ['src/a'] }, false],
] as const) {
  test(`${lines} lets the job ${runs ? 'in' : 'out'} with ${JSON.stringify(context)}`, async () => {
    const file = `J:\n  script: a\n  ${lines.replaceAll('\n', '\n  ')}\n`;
    assert.deepEqual(await listPlannedJobNames(file, context as TestContext), runs ? ['J'] : []);
  });
}

test('expands a parallel job into several, all of which a need includes', async () => {
  const { jobs } = await planRequiredPipeline(
    'P: {script: a, parallel: 3}\nJ: {script: a, needs: [P]}\nK: {script: a, needs: [P 2/3]}',
  );
  assert.deepEqual(
    jobs.map(({ name }) => name),
    ['P 1/3', 'P 2/3', 'P 3/3', 'J', 'K'],
  );
  assert.deepEqual(jobs[1]!.options.parallel, { index: 2, total: 3 });
  assert.deepEqual(
    jobs[3]!.needs?.map(({ job }) => job),
    ['P 1/3', 'P 2/3', 'P 3/3'],
  );
  assert.deepEqual(jobs[4]!.needs, [{ job: 'P 2/3', artifacts: true, optional: false }]);
});

test('creates a job for each combination of a matrix', async () => {
  const { jobs } = await planRequiredPipeline(
    'M: {script: a, parallel: {matrix: [{OS: [linux, mac], V: 1.10}, {OS: bsd}]}}',
  );
  assert.deepEqual(
    jobs.map(({ name }) => name),
    ['M: [linux, 1.10]', 'M: [mac, 1.10]', 'M: [bsd]'],
  );
  assert.deepEqual(jobs[1]!.options.variables.slice(-2), [
    { key: 'OS', value: 'mac', raw: false },
    { key: 'V', value: '1.10', raw: false },
  ]);
});

test('expands variables in names of environments, resource groups and tags', async () => {
  const lines = 'environment: {name: review/$SLUG, url: "https://$SLUG"}\nresource_group: $SLUG\ntags: ["$SLUG", x]';
  const { environment, resourceGroup, tags, options } = await theJob(lines, { variables: { SLUG: 'a-b' } });
  assert.deepEqual([environment, resourceGroup, tags], ['review/a-b', 'a-b', ['a-b', 'x']]);
  assert.equal(options.environment?.name, 'review/$SLUG');
  assert.equal(options.environment?.action, 'start');
});

for (const [file, paths] of [
  ['pages: {script: a, artifacts: {paths: [out]}}', ['out', 'public']],
  ['pages: {script: a, artifacts: {paths: [public]}}', ['public']],
  ['pages: {script: a}', ['public']],
  ['pages: {script: a, publish: dist}', ['dist']],
  ['pages: {script: a, pages: {publish: site}, artifacts: {paths: [x]}}', ['x', 'site']],
  ['site: {script: a, pages: true}', ['public']],
  ['site: {script: a, pages: true, publish: dist}', ['dist']],
  ['pages: {script: a, pages: false, artifacts: {paths: [x]}}', ['x']],
] as const) {
  test(`artifacts of ${file} have the paths ${paths}`, async () => {
    const { jobs } = await planRequiredPipeline(file);
    assert.deepEqual(jobs[0]!.options.artifacts?.paths, paths);
  });
}

const PATHS: Readonly<Record<string, readonly string[] | string>> = {
  '{"compareTo":"refs/heads/dev"}': ['src/a'],
  '{"compareTo":"nope"}': 'rules:changes:compare_to is not a valid ref',
  '{"project":"team/other","ref":null}': ['Dockerfile'],
  '{"project":"team/other","ref":"v1"}': ['Makefile'],
  '{"project":"no/project","ref":null}': 'rules:exists:project `{project}` not found or access denied',
};

for (const [rule, expected] of [
  ['changes: {paths: [src/*], compare_to: refs/heads/dev}', ['J']],
  ['changes: {paths: [doc/*], compare_to: refs/heads/dev}', []],
  ['changes: {paths: [src/*], compare_to: $BASE}', ['J']],
  [
    'changes: {paths: [nothing/*], compare_to: nope}',
    'Failed to parse rule for J: rules:changes:compare_to is not a valid ref',
  ],
  ['exists: {paths: [Dockerfile], project: team/other}', ['J']],
  ['exists: {paths: [Dockerfile], project: $OTHER, ref: v1}', []],
  ['exists: {paths: [Make*], project: team/other, ref: v1}', ['J']],
  [
    'exists: {paths: [a], project: $NONE}',
    'Failed to parse rule for J: rules:exists:project `$NONE` not found or access denied',
  ],
] as const) {
  test(`evaluates ${rule} with the paths of that source`, async () => {
    const plan = await planFile(`J: {script: a, rules: [{${rule}}]}`, {
      variables: { BASE: 'refs/heads/dev', OTHER: 'team/other', NONE: 'no/project' },
      changedPaths: [],
      files: [],
      loadPaths: async (source) => PATHS[JSON.stringify(source)]!,
    });
    const names =
      plan === 'empty' ? [] : typeof plan === 'object' && 'jobs' in plan ? plan.jobs.map(({ name }) => name) : null;
    assert.deepEqual(names ?? (plan as { invalid: string }).invalid, expected);
  });
}

test('a null value counts as absent', async () => {
  const { jobs } = await planRequiredPipeline(`
default: {before_script: [d], image: one, tags: [t], timeout: 1h, interruptible: true}
J: {script: a, before_script: , image: , tags: , timeout: , interruptible: , stage: , rules: , when: , needs: }`);
  const [job] = jobs;
  const { options, tags, timeoutSeconds, stage, when, needs } = job!;
  assert.deepEqual([options.before_script, options.image?.name, tags, timeoutSeconds], [['d'], 'one', ['t'], 3600]);
  assert.deepEqual([options.interruptible, stage, when, needs], [true, 'test', 'on_success', null]);
});

test('a need of some instances of a matrix job is a need of these', async () => {
  const { jobs } = await planRequiredPipeline(`
m: {stage: build, script: a, parallel: {matrix: [{K: [v1, v2], L: [w]}]}}
J: {script: a, needs: [{job: m, parallel: {matrix: [{K: [v2], L: [w]}]}}]}
K: {script: a, needs: [], rules: [{needs: [{job: m, artifacts: false, parallel: {matrix: [{K: v1, L: w}]}}]}]}`);
  assert.deepEqual(
    jobs.slice(2).map(({ needs }) => needs),
    [
      [{ job: 'm: [v2, w]', artifacts: true, optional: false }],
      [{ job: 'm: [v1, w]', artifacts: false, optional: false }],
    ],
  );
});

test('each instance of a matrix job needs the jobs that its own values name', async () => {
  const { jobs } = await planRequiredPipeline(`
m: {stage: build, script: a, parallel: {matrix: [{K: [v1, v2]}]}}
J: {script: a, needs: [{job: m, parallel: {matrix: [{K: ['$[[ matrix.K ]]']}]}}], parallel: {matrix: [{K: [v1, v2]}]}}
N: {script: a, needs: ['m: [$[[matrix.L]]]'], parallel: {matrix: [{K: [x], L: [v2]}]}}`);
  assert.deepEqual(
    jobs.slice(2).map(({ name, needs }) => [name, needs?.map(({ job }) => job)]),
    [
      ['J: [v1]', ['m: [v1]']],
      ['J: [v2]', ['m: [v2]']],
      ['N: [x, v2]', ['m: [v2]']],
    ],
  );
});

test('applies default keywords to jobs that do not set them, unless they disable inheritance', async () => {
  const { jobs } = await planRequiredPipeline(`
default: {image: ruby, tags: [a], retry: 1, before_script: [one]}
variables: {V: global}
J: {script: x}
K: {script: x, image: node, before_script: []}
L: {script: x, inherit: {default: false, variables: false}}
M: {script: x, inherit: {default: [tags], variables: [V]}}`);
  assert.deepEqual(
    jobs.map(({ tags, options: { image, retry, before_script, variables } }) => [
      image?.name ?? null,
      tags,
      retry?.max ?? null,
      before_script,
      variables.length,
    ]),
    [
      ['ruby', ['a'], 1, ['one'], 1],
      ['node', ['a'], 1, [], 1],
      [null, [], null, [], 0],
      [null, ['a'], null, [], 1],
    ],
  );
});

test('the old global keys are defaults', async () => {
  const { jobs } = await planRequiredPipeline('image: ruby\nbefore_script: a\nJ: {script: x}');
  assert.deepEqual([jobs[0]!.options.image?.name, jobs[0]!.options.before_script], ['ruby', ['a']]);
});

test('keeps values of variables as written in the file', async () => {
  const said = 'variables: {A: 1.10, B: true, C: {value: $A, expand: false}, D: 2024-01-01, E: 0755, F: yes}';
  const { options } = await theJob(said);
  assert.deepEqual(
    options.variables.map(({ value, raw }) => [value, raw]),
    [
      ['1.10', false],
      ['true', false],
      ['$A', true],
      ['2024-01-01', false],
      ['0755', false],
      ['yes', false],
    ],
  );
});

test('timeouts, delays and exit codes are numbers', async () => {
  const {
    when,
    timeoutSeconds: timeout,
    options,
  } = await theJob(
    'timeout: 1h 30m\nwhen: delayed\nstart_in: 30 minutes\nallow_failure: {exit_codes: [1, 7]}\nretry: {max: 2, when: script_failure}',
  );
  assert.deepEqual([when, timeout, options.start_in], ['delayed', 5400, 1800]);
  assert.deepEqual(options.allow_failure_exit_codes, [1, 7]);
  assert.deepEqual(options.retry, { max: 2, when: ['script_failure'], exit_codes: [] });
});

test('limits a pipeline to a thousand jobs', async () => {
  const file = (names: number) =>
    Array.from({ length: names }, (_, index) => `j${index}: {script: a, parallel: 200}`).join('\n');
  assert.equal((await planRequiredPipeline(file(5))).jobs.length, 1000);
  const refused = await planFile(file(6));
  assert.match(JSON.stringify(refused), /The number of jobs has exceeded the limit of 1000\. Try splitting/);
});

test('rejects duplicate job names in a pipeline', async () => {
  const twice = 'M: {script: a, parallel: {matrix: [{OS: a}, {V: a}]}}';
  assert.deepEqual(await planFile(twice), { invalid: 'The pipeline has several jobs with the name M: [a]' });
  assert.deepEqual(await planFile('P: {script: a, parallel: 2}\nP 1/2: {script: a}'), {
    invalid: 'The pipeline has several jobs with the name P 1/2',
  });
});
