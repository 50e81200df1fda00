import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertJobRow, runnerRow } from '#test/support/pipeline-rows.ts';
import { statements } from '#test/support/statement-watch.ts';
import { type Caller, expectSuccess, type Group, type Project, world } from '#test/support/world.ts';
import { encryptValue } from './store.ts';

// Which variables reach jobs, and what sees them before there are any (contract/runners.md §4.5 "Reaching jobs").

const here = await world();
const { anonymous, root } = here;

type RequestParams = Readonly<Record<string, unknown>>;
interface Handed {
  readonly key: string;
  readonly value: string;
}

const keep = (caller: Caller, at: string, key: string, params: RequestParams = {}) =>
  expectSuccess(caller.post(`${at}/variables`, { key, value: 'x', ...params }));

/** The variables of the job that a runner of this project is given next. */
async function handedOut(project: { readonly id: number }): Promise<readonly Handed[]> {
  const { token } = await runnerRow(here, { projects: [project.id] });
  const { status, body } = await anonymous.post('/jobs/request', { token, system_id: 's_1' });
  assert.equal(status, 201, JSON.stringify(body));
  return body.variables;
}

const valueIn = (variables: readonly Handed[], name: string) => variables.findLast(({ key }) => key === name)?.value;

async function projectWith(file: string, place: { readonly in?: Group } = {}) {
  const project = await here.newProject({ ...place, readme: true });
  await project.commit({ '.gitlab-ci.yml': file }, { message: 'Say what runs [skip ci]' });
  await here.runJobs();
  return project;
}

const newPipeline = (project: Project, params: RequestParams = {}) =>
  project.owner.post(`${project.at}/pipeline`, { ref: 'main', ...params });

test('one key may be said on every level, and the last of them counts', async () => {
  const levels = ['file', 'job', 'instance', 'root', 'group', 'project', 'pipeline', 'play'] as const;
  /** `L2` is said on the first three levels. */
  const keysAt = (level: (typeof levels)[number]) => levels.map((_, at) => `L${at}`).slice(levels.indexOf(level));
  const inFile = (level: 'file' | 'job') => `{${keysAt(level).map((key) => `${key}: ${level}`)}}`;
  const top = await here.newGroup();
  const group = await here.newGroup({ in: top });
  const file = `variables: ${inFile('file')}\nJ: {script: a, when: manual, variables: ${inFile('job')}}`;
  const project = await projectWith(file, { in: group });
  for (const [level, at] of [
    ['instance', '/admin/ci'],
    ['root', top.at],
    ['group', group.at],
    ['project', project.at],
  ] as const) {
    for (const key of keysAt(level)) await keep(root, at, key, { value: level });
  }
  const given = (level: 'pipeline' | 'play') => keysAt(level).map((key) => ({ key, value: level }));
  const { body } = await newPipeline(project, { variables: given('pipeline') });
  const [job] = (await expectSuccess(project.owner.get(`${project.at}/pipelines/${body.id}/jobs`))).body;
  await expectSuccess(
    project.owner.post(`${project.at}/jobs/${job.id}/play`, { job_variables_attributes: given('play') }),
  );
  const variables = await handedOut(project);
  for (const [at, level] of levels.entries()) assert.equal(valueIn(variables, `L${at}`), level);
  for (const key of keysAt('instance')) await expectSuccess(root.delete(`/admin/ci/variables/${key}`));
});

test('a runner is told what a variable is, and references in it are replaced', async () => {
  const project = await here.newProject();
  const { owner, at } = project;
  const secret = { value: 's3cr3t-pass', masked: true };
  await keep(owner, at, 'PLAIN', { value: 'a-$SECRET-$RAW-$FILE-%LATE%' });
  await keep(owner, at, 'SECRET', secret);
  await keep(owner, at, 'RAW', { value: '$PLAIN', raw: true });
  await keep(owner, at, 'FILE', { value: 'key: $PLAIN', variable_type: 'file' });
  await keep(owner, at, 'LATE', { value: 'late' });
  await keep(owner, at, 'HIDDEN', { value: 'hidden-one', masked_and_hidden: true });
  await insertJobRow(here, project);
  const plain = 'a-s3cr3t-pass-$RAW-$FILE-late';
  assert.deepEqual((await handedOut(project)).slice(-6), [
    { key: 'PLAIN', value: plain, public: false, masked: false },
    { key: 'SECRET', value: 's3cr3t-pass', public: false, masked: true },
    { key: 'RAW', value: '$PLAIN', public: false, masked: false, raw: true },
    { key: 'FILE', value: `key: ${plain}`, public: false, masked: false, file: true },
    { key: 'LATE', value: 'late', public: false, masked: false },
    { key: 'HIDDEN', value: 'hidden-one', public: false, masked: true },
  ]);
  await keep(owner, at, 'CIRCLE', { value: '$LATE' });
  await expectSuccess(owner.put(`${at}/variables/LATE`, { value: '$CIRCLE' }));
  await insertJobRow(here, project);
  const circular = await handedOut(project);
  assert.equal(valueIn(circular, 'PLAIN'), 'a-$SECRET-$RAW-$FILE-%LATE%', 'a circle: nothing is replaced');
});

test('scope and protection decide, at the moment when a job is handed out', async () => {
  const project = await here.newProject();
  const { owner, at } = project;
  for (const environment_scope of ['*', 'review/*', 'review/a']) {
    await keep(owner, at, 'K', { value: environment_scope, environment_scope });
  }
  await keep(owner, at, 'P', { value: 'protected', protected: true });
  const seen = async (row: Parameters<typeof insertJobRow>[2]) => {
    await insertJobRow(here, project, row);
    const variables = await handedOut(project);
    return [valueIn(variables, 'K'), valueIn(variables, 'P')];
  };
  assert.deepEqual(await seen({}), ['*', undefined]);
  assert.deepEqual(await seen({ protected: true }), ['*', 'protected']);
  assert.deepEqual(await seen({ environment: 'review/a' }), ['review/a', undefined]);
  assert.deepEqual(await seen({ environment: 'review/b/c' }), ['review/*', undefined]);
  assert.deepEqual(await seen({ environment: 'production', protected: true }), ['*', 'protected']);
  await expectSuccess(owner.delete(`${at}/variables/K`, { 'filter[environment_scope]': 'review/a' }));
  await expectSuccess(owner.put(`${at}/variables/P`, { protected: false, value: 'open' }));
  assert.deepEqual(await seen({ environment: 'review/a' }), ['review/*', 'open']);
});

test('workflow and rules see what the job would get', async () => {
  const project = await projectWith(`
workflow: {rules: [{if: $WANTED == "staging"}, {if: $WANTED == "yes"}]}
plain: {script: a, rules: [{if: $STAGE}]}
named: {script: a, environment: production, rules: [{if: $STAGE == "production"}]}
other: {script: a, environment: "$WHERE", rules: [{if: $STAGE == "staging"}]}
shut: {script: a, rules: [{if: $SHUT}]}
`);
  const { owner, at } = project;
  await keep(owner, at, 'WANTED', { value: 'staging', environment_scope: 'staging' });
  await keep(owner, at, 'WHERE', { value: 'staging' });
  for (const scope of ['staging', 'production']) {
    await keep(owner, at, 'STAGE', { value: scope, environment_scope: scope });
  }
  const unwanted = await newPipeline(project);
  assert.match(unwanted.body.message.base[0], /^The pipeline did not run\./);
  await keep(owner, at, 'WANTED', { value: 'yes' });
  const { status, body } = await newPipeline(project);
  assert.equal(status, 201, JSON.stringify(body));
  const jobs = (await owner.get(`${at}/pipelines/${body.id}/jobs`)).body;
  assert.deepEqual(jobs.map(({ name }: { name: string }) => name).toSorted(), ['named', 'other']);
});

test('names and addresses that others read hold nothing that is masked', async () => {
  const environment = '{name: "at/$REGION/$SECRET", url: "https://$HOST/$SECRET/$THROUGH"}';
  const project = await projectWith(`J: {script: a, tags: ["$REGION", "$SECRET"], environment: ${environment}}`);
  const { owner, at } = project;
  await keep(owner, at, 'REGION', { value: 'north' });
  await keep(owner, at, 'HOST', { value: 'h.test', environment_scope: 'at/north/*' });
  await keep(owner, at, 'SECRET', { value: 's3cr3t-pass', masked: true });
  await keep(owner, at, 'THROUGH', { value: 'is-$SECRET' });
  const { body } = await newPipeline(project);
  const [job] = (await owner.get(`${at}/pipelines/${body.id}/jobs`)).body;
  assert.deepEqual(job.tag_list, ['north', '$SECRET']);
  const { token } = await runnerRow(here, { projects: [project.id], tags: ['north', '$SECRET'] });
  const handed = (await expectSuccess(anonymous.post('/jobs/request', { token, system_id: 's_1' }))).body;
  assert.equal(valueIn(handed.variables, 'THROUGH'), 'is-s3cr3t-pass');
  await expectSuccess(anonymous.put(`/jobs/${job.id}`, { token: handed.token, state: 'success' }));
  await here.runJobs();
  const [made] = (await owner.get(`${at}/environments`)).body;
  assert.deepEqual([made.name, made.external_url], ['at/north/$SECRET', 'https://h.test/$SECRET/is-$SECRET']);
});

test('fails a job with variables over the size limit, and creates no pipeline with them', async () => {
  const project = await projectWith('J: {script: a}');
  await here.server.services.database.transaction((tx) =>
    tx
      .insertInto('ci_variables')
      .values({
        ...{ project_id: project.id, key: 'HUGE', encrypted_value: 'x'.repeat(8 * 1024 * 1024 + 1) },
        ...{ variable_type: 'env_var', environment_scope: '*', description: null },
        ...{ protected: false, masked: false, hidden: false, raw: false, created_at: tx.now, updated_at: tx.now },
      })
      .execute(),
  );
  const { body } = await newPipeline(project);
  assert.deepEqual(body.message, { base: ['The CI/CD variables are too large'] });
  const id = await insertJobRow(here, project);
  const { token } = await runnerRow(here, { projects: [project.id] });
  await anonymous.post('/jobs/request', { token, system_id: 's_1' });
  const job = (await project.owner.get(`${project.at}/jobs/${id}`)).body;
  assert.deepEqual([job.status, job.failure_reason], ['failed', 'scheduler_failure']);
});

async function keepMany(project_id: number, count: number): Promise<void> {
  const { database, secretKey } = here.server.services;
  const secret = await secretKey();
  const flags = { protected: false, masked: false, hidden: false, raw: false };
  const rest = { ...flags, variable_type: 'env_var', environment_scope: '*', description: null } as const;
  await database.transaction((tx) => {
    const rows = Array.from({ length: count }, (_, at) => {
      const place = { project_id, group_id: null, key: `K${at}` };
      return {
        ...place,
        ...rest,
        encrypted_value: encryptValue(secret, place, 'x'),
        created_at: tx.now,
        updated_at: tx.now,
      };
    });
    return tx.insertInto('ci_variables').values(rows).execute();
  });
}

test('runs the same number of statements to assign a job for any number of variables', async () => {
  const counts: number[] = [];
  for (const count of [1, 200]) {
    const project = await here.newProject();
    await keepMany(project.id, count);
    await insertJobRow(here, project);
    counts.push(await statements(here, () => handedOut(project)));
  }
  assert.equal(counts[1], counts[0]);
});
