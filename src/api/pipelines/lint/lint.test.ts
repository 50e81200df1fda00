import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

// Validation of CI files (contract/runners.md §4.9).

const here = await world({ project: { visibility: 'public', readme: true, with: ['guest', 'reporter', 'developer'] } });
const { project, anonymous, developer, reporter } = here;
const { owner } = project;

const FILE = `
include: ci/common.yml
stages: [test, deploy]
ship:
  stage: deploy
  script: [[./ship]]
  rules: [{if: $CI_COMMIT_BRANCH == "release"}]
unit:
  extends: .base
  script: make test
  tags: [docker]
  needs: []
`;
const COMMON =
  '.base: {before_script: [echo before], image: "ruby:3.3"}\nlint: {script: "true", only: [tags], when: manual}';
const MERGED = `---
.base:
  before_script:
  - echo before
  image: ruby:3.3
lint:
  script: 'true'
  only:
  - tags
  when: manual
stages:
- test
- deploy
ship:
  stage: deploy
  script:
  - - ./ship
  rules:
  - if: $CI_COMMIT_BRANCH == "release"
unit:
  before_script:
  - echo before
  image: ruby:3.3
  script: make test
  tags:
  - docker
  needs: []
`;
const sha = await project.commit({ '.gitlab-ci.yml': FILE, 'ci/common.yml': COMMON });
const at = `${project.at}/ci/lint`;
const storedIds = async () => {
  const { reader } = here.server.services.database;
  const [pipelines, environments] = [reader.selectFrom('pipelines'), reader.selectFrom('environments')];
  return [...(await pipelines.select('id').execute()), ...(await environments.select('id').execute())];
};
await expectSuccess(owner.delete(`${project.at}/protected_branches/main`));
await here.runJobs();

const needs = null;
const lists = { before_script: [], after_script: [], tag_list: [], except: null, environment: null, needs };
const JOBS = [
  {
    ...lists,
    name: 'lint',
    stage: 'test',
    script: ['true'],
    only: { refs: ['tags'] },
    when: 'manual',
    allow_failure: true,
  },
  {
    ...{ ...lists, name: 'unit', stage: 'test', script: ['make test'], before_script: ['echo before'] },
    ...{
      tag_list: ['docker'],
      only: { refs: ['branches', 'tags'] },
      when: 'on_success',
      allow_failure: false,
      needs: [],
    },
  },
  { ...lists, name: 'ship', stage: 'deploy', script: ['./ship'], only: null, when: 'on_success', allow_failure: false },
];

test('returns the merged CI file to anyone who can read the code of the project', async () => {
  const path = (await owner.get(project.at)).body.path_with_namespace;
  const url = (await owner.get(project.at)).body.web_url;
  const { status, body } = await anonymous.get(at, { include_jobs: true });
  assert.equal(status, 200);
  const include = { blob: `${url}/-/blob/${sha}/ci/common.yml`, raw: `${url}/-/raw/${sha}/ci/common.yml`, extra: {} };
  assert.deepEqual(body, {
    ...{ valid: true, errors: [], warnings: [], merged_yaml: MERGED },
    includes: [{ type: 'local', location: 'ci/common.yml', ...include, context_project: path, context_sha: sha }],
    jobs: JOBS,
  });
  assert.equal('jobs' in (await anonymous.get(at)).body, false);
});

test('returns the jobs that a push of the ref would create for a dry run, and stores nothing', async () => {
  await expectSuccess(owner.post(`${project.repository}/branches`, { branch: 'release', ref: 'main' }));
  await here.runJobs();
  const idsBefore = await storedIds();
  for (const [params, names] of [
    [{}, ['unit']],
    [{ dry_run_ref: 'release' }, ['unit', 'ship']],
    [{ ref: 'release' }, ['unit', 'ship']],
  ] as const) {
    const { body } = await developer.get(at, { dry_run: true, include_jobs: true, ...params });
    assert.deepEqual([body.valid, body.errors], [true, []]);
    assert.deepEqual(
      body.jobs.map(({ name }: { name: string }) => name),
      names,
    );
  }
  const [unit] = (await developer.get(at, { dry_run: true, include_jobs: true })).body.jobs;
  const keys = ['name', 'stage', 'before_script', 'script', 'after_script', 'tag_list', 'environment', 'when'];
  assert.deepEqual(Object.keys(unit), [...keys, 'allow_failure']);
  assert.deepEqual(await storedIds(), idsBefore);
});

/** Content, parameters, and the expected error. */
for (const [content, params, error] of [
  ['unit: {script: make}', {}, null],
  ['unit: [', {}, /at line \d+ column \d+$/],
  ['text', {}, 'Invalid configuration format'],
  ['# nothing', {}, 'jobs config should contain at least one visible job'],
  ['.p: &p {script: [one]}\n.q: &q {script: [two]}\nunit:\n  <<: *p\n  <<: *q', {}, null],
  ['unit: {script: make, only: main}', {}, 'jobs:unit:only has to be either an array of conditions or a hash'],
  ['unit: {script: make, timeout: one week, artifacts: {paths: [a], expire_in: NEVER}}', {}, null],
  ['spec: {inputs: {env: }}\n---\nunit: {script: make}', {}, '`env` input: required value has not been provided'],
  [
    'include: {template: Bash.gitlab-ci.yml}\nunit: {script: make}',
    {},
    'Included file `Bash.gitlab-ci.yml` is not supported yet: include:template',
  ],
  ['', { dry_run: true }, 'Please provide content of .gitlab-ci.yml'],
  ['', {}, 'Please provide content of .gitlab-ci.yml'],
  ['.a: {script: make}', {}, 'jobs config should contain at least one visible job'],
  ['unit: {script: make, odd: 1}', {}, 'jobs:unit config contains unknown keys: odd'],
  ['include: ci/none.yml\nunit: {script: make}', {}, 'Local file `ci/none.yml` does not exist!'],
  ['include: ci/common.yml\nunit: {extends: .base, script: make}', {}, null],
  ['unit: {script: make, only: [tags]}', {}, null],
  [
    'unit: {script: make, only: [tags]}',
    { dry_run: true },
    'The resulting pipeline would have been empty. Review the rules configuration for the relevant jobs.',
  ],
  [
    'workflow: {rules: [{when: never}]}\nunit: {script: make}',
    { dry_run: true },
    'The pipeline did not run. Review the workflow:rules configuration for the pipeline.',
  ],
  ['unit: {script: make}', { dry_run: true, ref: 'none' }, 'Reference not found'],
  ['unit: {script: make}', { dry_run: true, ref: '' }, null],
  ['unit: {script: make, odd: 1}', { dry_run: true }, 'jobs:unit config contains unknown keys: odd'],
] as const) {
  test(`validates ${JSON.stringify(content)} with ${JSON.stringify(params)}: ${error ?? 'valid'}`, async () => {
    const idsBefore = await storedIds();
    const { status, body } = await developer.post(at, { content, include_jobs: true, ...params });
    assert.deepEqual(await storedIds(), idsBefore);
    assert.deepEqual([status, body.valid, body.errors.length], [200, error === null, error === null ? 0 : 1]);
    if (error instanceof RegExp) assert.match(body.errors[0], error);
    else if (error !== null) assert.deepEqual(body.errors, [error]);
    assert.equal(body.jobs.length > 0, error === null);
    assert.equal(
      body.merged_yaml === null,
      error instanceof RegExp || /^(?:Invalid|Please|Local|Included|`)/.test(error ?? ''),
    );
  });
}

test('warns of variables that the reference reads differently', async () => {
  const content = `variables: {MODE: 0755, QUOTED: '0755', TEXT: a}
unit: {script: make, variables: {VERSION: {value: 1.10}, COUNT: 10}}`;
  const { body } = await developer.post(at, { content });
  assert.deepEqual(
    [body.valid, body.warnings],
    [
      true,
      [
        'variables:MODE is the text 0755; the reference reads 493',
        'unit:variables:VERSION is the text 1.10; the reference reads 1.1',
      ],
    ],
  );
});

test('evaluates rules with the paths since another ref and with those of another project', async () => {
  await expectSuccess(owner.post(`${project.repository}/branches`, { branch: 'base', ref: 'main' }));
  await project.commit({ 'src/new': 'x' });
  const hiddenProject = await here.newProject();
  const { path_with_namespace: own } = (await owner.get(project.at)).body;
  const { path_with_namespace: hidden } = (await hiddenProject.owner.get(hiddenProject.at)).body;
  for (const [rule, error] of [
    ['{changes: {paths: [src/*], compare_to: base}}', null],
    ['{changes: {paths: [ci/*], compare_to: base}}', /would have been empty/],
    ['{changes: {paths: [ci/*], compare_to: nope}}', /rule for unit: rules:changes:compare_to is not a valid ref$/],
    ...[
      '-x',
      'base..main',
      'HEAD:ci',
      '@{-1}',
      'refs/heads',
      '../HEAD',
      'base~99999',
      'x'.repeat(900),
      '0'.repeat(40),
    ].flatMap(
      (revision) =>
        [
          [
            `{changes: {paths: [ci/*], compare_to: ${JSON.stringify(revision)}}}`,
            /rules:changes:compare_to is not a valid ref$/,
          ],
          [
            `{exists: {paths: [src/new], project: ${own}, ref: ${JSON.stringify(revision)}}}`,
            /is not a valid ref in project/,
          ],
        ] as const,
    ),
    [`{exists: {paths: [src/new], project: ${own}}}`, null],
    [`{exists: {paths: [src/new], project: ${own}, ref: base}}`, /would have been empty/],
    [`{exists: {paths: [src/new], project: ${own}, ref: nope}}`, /`nope` is not a valid ref in project/],
    [`{exists: {paths: [src/new], project: ${hidden}}}`, /not found or access denied$/],
    ['{exists: {paths: [src/new], project: no/project}}', /`no\/project` not found or access denied$/],
  ] as const) {
    const content = `unit: {script: make, rules: [${rule}]}`;
    const { body } = await developer.post(at, { content, dry_run: true });
    if (error === null) assert.deepEqual(body.errors, [], rule);
    else assert.match(body.errors.join(), error, rule);
  }
  const content = `unit: {script: make, rules: [{exists: {paths: [README.md], project: ${hidden}}}]}`;
  const { body } = await here.root.post(at, { content, dry_run: true });
  assert.match(body.errors.join(), /not found or access denied$/, 'administrators run files that others write');
});

test('rejects too many jobs or too large scripts if include_jobs is set', async () => {
  const lines = Array.from({ length: 100 }, () => `    - ${'x'.repeat(1000)}`).join('\n');
  const jobs = Array.from({ length: 50 }, (_, index) => `job ${index}: {extends: .base}`).join('\n');
  const many = Array.from({ length: 6 }, (_, index) => `job ${index}: {script: make, parallel: 200}`).join('\n');
  for (const [content, error] of [
    [many, /^The number of jobs/],
    [`.base:\n  script:\n${lines}\n${jobs}`, /^The parsed YAML is too big/],
  ] as const) {
    assert.equal((await developer.post(at, { content })).body.valid, true);
    const { body } = await developer.post(at, { content, include_jobs: true });
    assert.match(body.errors[0], error);
  }
});

test('returns an error for a dry run by a caller who may not create pipelines', async () => {
  const rule = { name: 'main', push_access_level: 40, merge_access_level: 40 };
  const insufficientPermission =
    "You do not have sufficient permission to run a pipeline on 'main'. Please select a different branch or contact your administrator for assistance.";
  await expectSuccess(owner.post(`${project.at}/protected_branches`, rule));
  for (const [caller, error] of [
    [anonymous, 'Insufficient permissions to create a new pipeline'],
    [reporter, 'Insufficient permissions to create a new pipeline'],
    [developer, insufficientPermission],
    [owner, null],
  ] as const) {
    const { status, body } = await caller.get(at, { dry_run: true });
    assert.deepEqual([status, body.errors], [200, error === null ? [] : [error]]);
  }
  await expectSuccess(owner.put(project.at, { builds_access_level: 'disabled' }));
  assert.deepEqual((await owner.get(at, { dry_run: true })).body.errors, ['Pipelines are disabled!']);
  await expectSuccess(owner.put(project.at, { builds_access_level: 'enabled' }));
});

test('rejects exclusive parameters, missing commits and callers without permission', async () => {
  for (const [caller, verb, params, status, body] of [
    [anonymous, 'GET', { content_ref: 'none' }, 404, { message: '404 Commit Not Found' }],
    [anonymous, 'GET', { sha: 'main', content_ref: 'main' }, 400, { error: 'sha, content_ref are mutually exclusive' }],
    [anonymous, 'GET', { ref: 'a', dry_run_ref: 'b' }, 400, { error: 'ref, dry_run_ref are mutually exclusive' }],
    [anonymous, 'POST', { content: 'a: 1' }, 401, { message: '401 Unauthorized' }],
    [reporter, 'POST', { content: 'a: 1' }, 403, { message: '403 Forbidden' }],
    [developer, 'POST', {}, 400, { error: 'content is missing' }],
  ] as const) {
    const answer = await (verb === 'GET' ? caller.get(at, params) : caller.post(at, params));
    assert.deepEqual([answer.status, answer.body], [status, body], JSON.stringify(params));
  }
  const parent = (await owner.get(`${project.repository}/commits/${sha}`)).body.parent_ids[0];
  const withoutFile = await anonymous.get(at, { content_ref: parent });
  assert.deepEqual(withoutFile.body.errors, ['Please provide content of .gitlab-ci.yml']);
  assert.deepEqual([withoutFile.body.valid, withoutFile.body.merged_yaml], [false, null]);
});

test('returns 404 for the CI file of an empty repository, but validates a sent file', async () => {
  const empty = await here.newProject();
  const answer = await empty.owner.get(`${empty.at}/ci/lint`);
  assert.deepEqual([answer.status, answer.body], [404, { message: '404 Repository Not Found' }]);
  const posted = await empty.owner.post(`${empty.at}/ci/lint`, { content: 'unit: {script: make}' });
  assert.equal(posted.body.valid, true);
});
