// Compares how the server and the reference's own reader read the same CI files: one line a group of files. The files are
// generated: one construct each, then several together, the same at every run.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type CiConfiguration, readCiFile } from '#api/pipelines/ci-file/configuration.ts';
import type { CiJob } from '#api/pipelines/ci-file/keywords/job.ts';
import type { FileVariable } from '#api/pipelines/ci-file/keywords/options.ts';
import { step } from './step.ts';

const { CLIENT_CACHE = '' } = process.env;

const TEMPLATES = `
.b: {script: [bs], variables: {BA: 1, BB: {value: x, expand: false}}, rules: [{if: $R}], cache: {key: bk, paths: [p]}}
.c: {before_script: [c1, c2], image: ci, tags: [ct], variables: {BA: 2, CA: 3}}
.anchor: &anchor {image: ai, when: manual, variables: {AN: 1}}
.other: &other {image: oi, stage: build}
b: {script: y, environment: {name: e, action: stop}}
m: {stage: build, script: y, parallel: {matrix: [{K: [v, w]}]}}
`;

/** Values of keywords of a job, valid and invalid. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  stage: ['build', 'nope', '[build]', '.pre', ''],
  when: ['manual', 'always', 'on_failure', 'never', ''],
  allow_failure: ['true', '{exit_codes: 1}', '{exit_codes: [1, 2]}', '{exit_codes: [a]}', '1', ''],
  rules: [
    ...["[{if: '$A'}]", '[{when: always}]', "[{if: '$A', when: manual, allow_failure: false}]", '[{changes: [a, b]}]'],
    ...['[{changes: {paths: [a], compare_to: main}}]', '[{exists: [a]}]', '[{exists: {paths: [a]}}]', '[{foo: a}]'],
    ...["[[{if: '$A'}], [{if: '$B', variables: {X: y}}]]", "[{if: '$A', needs: [b]}]", "[{if: '$A ==='}]", '[]', ''],
    ...["[{if: '$A', interruptible: true}]", '[{when: delayed, start_in: 1h}]', '[{when: delayed}]', '[{}]', '[a]'],
    ...["[{if: '$A', variables: {X: {value: y}}}]", "{if: '$A'}", '!reference [.b, rules]', '[!reference [.b, rules]]'],
  ],
  only: ['[main]', "{refs: [main], variables: ['$A']}", '{changes: [a]}', "['/^v(/']", 'main', '{}', ''],
  except: ['[tags]', "{refs: ['/^v/']}", '{kubernetes: active}', ''],
  needs: [
    ...[
      '[b]',
      '[]',
      '[m]',
      "['m: [v]']",
      '[zz]',
      '[b, b]',
      '[m, "m: [w]"]',
      '{job: b}',
      '[null, b]',
      '[[b]]',
      '[1]',
      '',
    ],
    ...['[{job: m, parallel: {matrix: [{K: v}]}}]', '[{job: b, artifacts: false}]', "['m: [$[[ matrix.K ]]]']"],
  ],
  dependencies: ['[b]', '[]', '[zz]', 'b', ''],
  parallel: ['3', '0', '201', '{matrix: [{K: [v, w], L: x}]}', "'2'", '{matrix: [{K: []}]}', '{matrix: {K: v}}', ''],
  tags: ['[a, b, a]', '[[a], b]', 'a', '[1]', '[]', '!reference [.c, tags]', ''],
  variables: [
    ...['{A: x, B: 1, C: true, D: }', '{A: {value: x, expand: false}}', '{A: {value: x, description: d}}', '{A: [x]}'],
    ...['[a]', '{A: 1.5}', "{A: ''}", '{A: {value: }}', '{A: {expand: false}}', '!reference [.b, variables]', ''],
  ],
  image: [
    'i',
    "{name: i, entrypoint: ['']}",
    '{name: i, pull_policy: [always, never]}',
    '{entrypoint: [a]}',
    '[i]',
    '',
  ],
  services: ['[s]', '[{name: s, alias: a, command: [c], variables: {A: b}}]', 's', '[{alias: a}]', '[]'],
  cache: [
    ...[
      '{key: k, paths: [p]}',
      '[{key: k, paths: [p]}, {key: l, paths: [q], policy: pull}]',
      '{policy: foo}',
      '[]',
      'p',
    ],
    ...[
      '{key: {files: [a, b], prefix: x}, paths: [p]}',
      '{paths: [p], when: always, untracked: true}',
      '{key: a/b}',
      '',
    ],
    ...['{fallback_keys: [a, b], paths: [p]}', '{key: {prefix: x}}', '!reference [.b, cache]'],
  ],
  artifacts: [
    ...[
      '{paths: [a]}',
      '{paths: a}',
      '{paths: [a], expire_in: 1 week, when: always, name: n, exclude: [b]}',
      '{foo: 1}',
    ],
    ...[
      '{reports: {junit: r.xml}}',
      '{reports: {junit: [r, s], dotenv: d}}',
      '{reports: {foo: x}}',
      '{expose_as: e}',
      '',
    ],
    ...['{paths: [a], access: developer}', '{access: x}', '{expire_in: never, paths: [a]}', '{expire_in: foo}'],
  ],
  retry: ['2', '3', '{max: 1, when: script_failure}', '{max: 1, when: [api_failure]}', '{when: foo}', 'true', ''],
  timeout: ['1h 30m', '2 hours', 'one week', 'foo', '2 months', ''],
  environment: [
    ...['e', "{name: e, url: 'https://a.b'}", '{name: e, action: stop}', '{name: e, on_stop: b}', '{url: x}', "''", ''],
    ...['{name: e, auto_stop_in: 1 day}', '{name: e, action: foo}', '{name: e, deployment_tier: production}'],
  ],
  interruptible: ['true', '1', ''],
  resource_group: ['r', '1', "''"],
  coverage: ["'/a/'", "'a'", "'/(/'"],
  before_script: ['[a, [b, c]]', 'a', '[]', '[1]', '[!reference [.c, before_script]]', ''],
  after_script: ['[a]', '[[[a]]]', '[]', "''"],
  hooks: ['{pre_get_sources_script: [a]}', '{foo: a}'],
  release: ['{tag_name: t, description: d}', '{tag_name: t}', '{tag_name: t, description: d, milestones: [m]}'],
  id_tokens: ['{T: {aud: a}}', '{T: {aud: [a, b]}}', '{T: {}}', '{T: a}'],
  inherit: [
    '{default: false}',
    '{default: [image]}',
    '{variables: false}',
    '{variables: [GA]}',
    '{default: [foo]}',
    'true',
  ],
  extends: ['.b', '[.b, .c]', '.zz', '[]', '1', ''],
  script: [
    ...[
      '[x, [y, [z]]]',
      "''",
      '[]',
      '{a: b}',
      "['', x]",
      '[1]',
      '!reference [.b, script]',
      '[!reference [.b, variables]]',
    ],
    ...['[!reference [.b, script], !reference [.c, before_script, 0]]', '|\n    a\n    b', '>-\n    a\n    b', ''],
  ],
  '<<': ['*anchor', '[*anchor, *other]'],
  pages: ['true', '{path_prefix: p}', '{publish: p}', '{foo: 1}'],
  foo: ['bar'],
};

/** Keywords of the whole file. */
const SECTIONS = [
  ...['default: {image: d, tags: [t]}', 'default: {before_script: [d], retry: 1}', 'default: {foo: 1}', 'default: '],
  ...[
    'default: {interruptible: true, artifacts: {paths: [d]}, cache: {paths: [c]}}',
    'image: g',
    'cache: {paths: [g]}',
  ],
  ...['default: {services: [s], after_script: [q], id_tokens: {T: {aud: a}}}', 'image: g\ndefault: {image: d}'],
  ...[
    'variables: {GA: 1, GB: {value: b, description: d, options: [b, c]}}',
    'variables: {GA: {value: x, options: [y]}}',
  ],
  ...[
    'variables: {GA: {description: d}}',
    'variables: [a]',
    'variables: {GA: {value: a, expand: false}}',
    'variables: ',
  ],
  ...['stages: [build, test]', 'stages: [test, [build]]', 'stages: []', 'stages: test', 'stages: [build, .pre, test]'],
  ...["workflow: {rules: [{if: '$A'}]}", 'workflow: {rules: [{when: manual}]}', 'workflow: {foo: 1}', 'workflow: {}'],
  ...['workflow: {name: n, auto_cancel: {on_new_commits: interruptible, on_job_failure: all}}', 'workflow: {rules: }'],
  ...['.hidden: [a]', '.hidden: text', '.hidden: ', 'pages: {script: x}', 'pages: {script: x, pages: false}'],
  ...["'1': {script: x}", '1: {script: x}', 'a b: {script: x}', 'c: {stage: test}', 'c: ', 'c: {needs: [b]}'],
  ...['.e: {extends: .f}\n.f: {extends: .e}', '.v: {extends: .b}\nv: {script: [!reference [.v, script]]}'],
];

/** Returns a file with a job of these keywords. */
function createFile(section: string, keywords: ReadonlyMap<string, string>): string {
  const needsScript = !['script', 'extends'].some((key) => keywords.has(key));
  const lines = [...(needsScript ? [['script', 'x'] as const] : []), ...keywords].map(
    ([key, value]) => `  ${key}: ${value}`,
  );
  return `${TEMPLATES}${section}\njob:\n${lines.join('\n')}\n`;
}

function* createSingleFiles(): Generator<string> {
  for (const [key, values] of Object.entries(KEYWORDS))
    for (const value of values) yield createFile('', new Map([[key, value]]));
  for (const section of SECTIONS) yield createFile(section, new Map());
}

function* createMixedFiles(count: number): Generator<string> {
  // A linear congruential generator: the files are the same at every run.
  let state = 1;
  const pick = <T>(list: readonly T[]): T => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return list[Math.floor((state / 2 ** 32) * list.length)]!;
  };
  const keys = Object.keys(KEYWORDS);
  for (let index = 0; index < count; index++) {
    const chosenKeys = Array.from({ length: 2 + (index % 3) }, () => pick(keys));
    yield createFile(pick(['', pick(SECTIONS)]), new Map(chosenKeys.map((key) => [key, pick(KEYWORDS[key]!)])));
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the answer of the reference has no type.
type Answer = any;

const reader = spawn('/usr/bin/ruby', ['-W0', join(import.meta.dirname, 'ci-files.rb')], {
  env: { ...process.env, SOURCE: join(CLIENT_CACHE, 'source') },
  stdio: ['pipe', 'pipe', 'inherit'],
});
const answers = createInterface({ input: reader.stdout })[Symbol.asyncIterator]();

async function askReference(text: string): Promise<Answer> {
  reader.stdin.write(`${JSON.stringify(text)}\n`);
  const { value, done } = await answers.next();
  assert.ok(!done, 'the reference ended');
  return JSON.parse(value);
}

/** Throws if the two read the file differently. */
async function compareFile(text: string): Promise<void> {
  const reference = await askReference(text);
  const configuration = await readCiFile('.gitlab-ci.yml', async () => text);
  assert.ok(configuration);
  const error = 'invalid' in configuration ? configuration.invalid : null;
  if (reference.errors.length > 0 || 'invalid' in configuration) {
    assert.equal(error === null, reference.errors.length === 0, `${text}\n${error}\n${reference.errors}`);
    return;
  }
  assert.deepEqual(describeConfiguration(configuration), describeReference(reference), text);
}

function describeConfiguration({ stages, variables, jobs }: CiConfiguration) {
  const jobsWithInstances = jobs.filter(
    ({ parallel }) => !parallel || 'total' in parallel || parallel.matrix.length > 0,
  );
  return {
    stages,
    variables: toValues(variables),
    jobs: Object.fromEntries(jobsWithInstances.map((job) => [job.name, describeJob(job)])),
  };
}

function toValues(variables: readonly FileVariable[]) {
  return Object.fromEntries(variables.map(({ key, value, raw }) => [key, raw ? [value, 'raw'] : value]));
}

function describeJob({ options, ...job }: CiJob) {
  return {
    stage: job.stage,
    when: job.when ?? 'on_success',
    allowFailure: job.allowFailure?.allowed ?? job.when === 'manual',
    exitCodes: job.allowFailure?.exitCodes ?? [],
    variables: toValues(job.variables),
    tags: job.tags,
    timeout: job.timeout,
    interruptible: job.interruptible,
    environment: job.environment?.name ?? null,
    resourceGroup: job.resourceGroup,
    dependencies: job.dependencies,
    rules: job.rules?.map(({ when, variables }) => [when, toValues(variables)]) ?? null,
    scripts: [options.before_script, options.script, options.after_script ?? []],
    image: options.image?.name ?? null,
    services: options.services.map(({ name }) => name),
    caches: options.cache.map(({ paths, policy, when }) => ({ paths, policy, when })),
    artifacts: [options.artifacts?.paths ?? [], options.artifacts?.expire_in ?? null],
    retry: options.retry?.max ?? null,
  };
}

/** The parallel jobs are expanded: the first instance of each stands for the job, without the variables of the instance. */
function describeReference({ stages, variables, jobs }: Answer) {
  const firstInstances = Object.entries<Answer>(jobs).filter(([, job]) => (job.instance ?? 1) === 1);
  return {
    stages,
    variables: toReferenceValues(variables),
    jobs: Object.fromEntries(firstInstances.map(([name, job]) => [toJobName(name, job), describeReferenceJob(job)])),
  };
}

function toJobName(name: string, { parallel }: Answer): string {
  return parallel === undefined ? name : name.replace(/(?:: \[.*\]| \d+\/\d+)$/, '');
}

function toReferenceValues(variables: Answer) {
  const values = Object.entries<Answer>(variables ?? {}).map(([key, variable]) => {
    const { value, raw } = typeof variable === 'object' ? variable : { value: variable };
    return [key, raw ? [String(value ?? ''), 'raw'] : String(value ?? '')];
  });
  return Object.fromEntries(values);
}

function describeReferenceJob(job: Answer) {
  const matrixKeys = (job.parallel?.matrix ?? []).flatMap((entry: object) => Object.keys(entry));
  const variables = Object.entries(job.job_variables ?? {}).filter(([key]) => !matrixKeys.includes(key));
  return {
    stage: job.stage,
    when: job.when ?? 'on_success',
    allowFailure: job.ignore,
    exitCodes: [job.allow_failure_criteria?.exit_codes ?? []].flat(),
    variables: toReferenceValues(Object.fromEntries(variables)),
    tags: [...new Set(job.tags ?? [])],
    timeout: job.timeout ?? null,
    interruptible: job.interruptible ?? false,
    environment: job.environment?.name ?? null,
    resourceGroup: job.resource_group ?? null,
    dependencies: job.dependencies ?? null,
    rules: job.rules?.map((rule: Answer) => [rule.when ?? null, toReferenceValues(rule.variables)]) ?? null,
    scripts: [job.before_script ?? [], job.script, job.after_script ?? []],
    image: job.image?.name ?? null,
    services: (job.services ?? []).map(({ name }: Answer) => name),
    caches: (job.cache ?? []).map(({ paths, policy, when }: Answer) => ({ paths: paths ?? [], policy, when })),
    artifacts: [job.artifacts?.paths ?? [], job.artifacts?.expire_in ?? null],
    retry: job.retry?.max ?? null,
  };
}

async function compareAll(files: Iterable<string>): Promise<void> {
  for (const text of files) await compareFile(text);
}

await step('files with one construct are read alike', () => compareAll(createSingleFiles()));
await step('files with several constructs are read alike', () => compareAll(createMixedFiles(500)));
reader.stdin.end();
await once(reader, 'exit');
