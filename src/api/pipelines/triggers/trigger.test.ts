import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runningJob } from '#test/support/pipeline-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';

const here = await world({ project: { readme: true, with: ['maintainer'] } });
const { project, owner, maintainer, anonymous, newProject, server, clock, root, user, name } = here;
const { database } = server.services;

const FILE = 'J: {script: a, rules: [{if: $MODE != "none"}]}';
await project.commit({ '.gitlab-ci.yml': FILE }, { message: 'Say what runs [skip ci]' });

const at = `${project.at}/trigger/pipeline`;
type Params = Readonly<Record<string, unknown>>;
const tokenOf = async (by = maintainer, params: Params = {}): Promise<string> =>
  (await expectSuccess(by.post(`${project.at}/triggers`, { description: 'ours', ...params }))).body.token;
const token = await tokenOf();
const start = (params: Params = {}, headers = {}) =>
  anonymous.send('POST', at, { params: { token, ref: 'main', ...params }, headers });
const countPipelines = async () =>
  (await database.reader.selectFrom('pipelines').select('id').where('project_id', '=', project.id).execute()).length;

async function refused(answer: ReturnType<typeof start>) {
  const before = await countPipelines();
  const { status, body } = await answer;
  assert.equal(await countPipelines(), before);
  return [status, body];
}

test('starts a pipeline as the owner of the token, even if the commit message says [skip ci]', async () => {
  const { status, body } = await start();
  assert.equal(status, 201, JSON.stringify(body));
  assert.deepEqual([body.source, body.user.id, body.ref, body.tag], ['trigger', maintainer.id, 'main', false]);
  assert.match(body.status, /^(created|pending)$/);
  const { body: triggers } = await maintainer.get(`${project.at}/triggers`);
  assert.equal(triggers.find((one: { token: string }) => one.token === token).last_used, body.created_at);
});

test('ignores other API credentials, valid or invalid', async () => {
  for (const headers of [
    { 'PRIVATE-TOKEN': 'wrong' },
    { Authorization: 'Bearer wrong' },
    { 'PRIVATE-TOKEN': owner.token! },
  ]) {
    const { status, body } = await start({}, headers);
    assert.deepEqual([status, body.user?.id], [201, maintainer.id]);
  }
});

test('passes the variables to the pipeline, and the request as a file variable', async () => {
  const { body } = await start({ variables: { MODE: 'full', EMPTY: '' }, event: { branch: 'x' }, private_token: 'no' });
  const { body: variables } = await maintainer.get(`${project.at}/pipelines/${body.id}/variables`);
  const [mode, empty, payload, ...others] = variables;
  assert.deepEqual(mode, { key: 'MODE', value: 'full', variable_type: 'env_var', raw: false });
  assert.deepEqual([empty.key, empty.value], ['EMPTY', '']);
  assert.deepEqual([payload.key, payload.variable_type, payload.raw], ['TRIGGER_PAYLOAD', 'file', true]);
  assert.deepEqual(JSON.parse(payload.value), {
    id: String(project.id),
    ref: 'main',
    variables: { MODE: 'full', EMPTY: '' },
    event: { branch: 'x' },
  });
  assert.deepEqual(others, []);
});

test('accepts forms like JSON, and prefers the ref of the path', async () => {
  await expectSuccess(owner.post(`${project.repository}/branches`, { branch: 'team/topic', ref: 'main' }));
  const raw = new URLSearchParams({ token, ref: 'main', 'variables[MODE]': 'some' }).toString();
  const path = `${project.at}/ref/team%2Ftopic/trigger/pipeline`;
  const { status, body } = await anonymous.send('POST', path, {
    raw,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  assert.deepEqual([status, body.ref], [201, 'team/topic']);
});

test('passes the trigger source and the short token to its jobs', async () => {
  await expectSuccess(start());
  const runner = await here.newRunner({ in: project });
  const { body } = await expectSuccess(anonymous.post('/jobs/request', { token: runner.token }));
  const variable = (key: string) => body.variables.find((one: { key: string }) => one.key === key)?.value;
  assert.deepEqual(
    [variable('CI_PIPELINE_SOURCE'), variable('CI_PIPELINE_TRIGGERED'), variable('CI_TRIGGER_SHORT_TOKEN')],
    ['trigger', 'true', token.slice(6, 10)],
  );
});

test('answers invalid tokens like a missing project', async () => {
  const other = await newProject({ owner });
  const leaver = await project.addMember('maintainer');
  const left = await tokenOf(leaver);
  await expectSuccess(owner.delete(`${project.at}/members/${leaver.id}`));
  const blockedUser = await project.addMember('maintainer');
  const blocked = await tokenOf(blockedUser);
  await expectSuccess(root.post(`/users/${blockedUser.id}/block`));
  const ended = await tokenOf(maintainer, { expires_at: clock.now().toISOString() });
  const notFound = [404, { message: '404 Not Found' }];
  for (const [path, params] of [
    ['/projects/999999/trigger/pipeline', {}],
    [`${other.at}/trigger/pipeline`, {}],
    [at, { token: 'glptt-unknown' }],
    [at, { token: '' }],
    [at, { token: left }],
    [at, { token: blocked }],
    [at, { token: ended }],
  ] as const) {
    const answer = anonymous.post(path, { token, ref: 'main', ...params });
    assert.deepEqual(await refused(answer as never), notFound, JSON.stringify(params));
  }
});

test('validates parameters before the project', async () => {
  const nowhere = '/projects/999999/trigger/pipeline';
  const texts = { message: 'variables needs to be a map of key-valued strings' };
  for (const [params, body] of [
    [{}, { error: 'token is missing, ref is missing' }],
    [{ token, ref: 'main', variables: 'a' }, { error: 'variables is invalid' }],
    [{ token, ref: 'main', variables: ['a'] }, { error: 'variables is invalid' }],
    [{ token, ref: 'main', variables: { A: 1 } }, texts],
    [{ token, ref: 'main', variables: { A: { B: 'c' } } }, texts],
    [
      { token, ref: 'main', variables: { A: 'x'.repeat(50_001) } },
      { error: 'variables[A] is too long (maximum is 50000 bytes)' },
    ],
  ] as const) {
    const answer = await anonymous.post(nowhere, params);
    assert.deepEqual([answer.status, answer.body], [400, body]);
  }
  const hook = await start({}, { 'X-Gitlab-Event': 'Pipeline Hook' });
  assert.deepEqual([hook.status, hook.body], [403, { message: '403 Forbidden' }]);
});

test('returns the errors that the owner would get when creating a pipeline', async () => {
  const base = (text: string) => [400, { message: { base: [text] } }];
  assert.deepEqual(await refused(start({ ref: 'nowhere' })), base('Reference not found'));
  const twice = { variables: { TRIGGER_PAYLOAD: 'mine' } };
  assert.deepEqual(await refused(start(twice)), base('Duplicate variable name: TRIGGER_PAYLOAD'));
  await expectSuccess(owner.put(project.at, { ci_pipeline_variables_minimum_override_role: 'owner' }));
  const some = start({ variables: { MODE: 'x' } });
  assert.deepEqual(await refused(some), base('Insufficient permissions to set pipeline variables'));
  assert.equal((await start()).status, 201);
  await expectSuccess(owner.put(project.at, { ci_pipeline_variables_minimum_override_role: 'developer' }));
  await expectSuccess(owner.put(`${project.at}/members/${maintainer.id}`, { access_level: 20 }));
  assert.deepEqual(await refused(start()), base('Insufficient permissions to create a new pipeline'));
  await expectSuccess(owner.put(`${project.at}/members/${maintainer.id}`, { access_level: 40 }));
});

test('reports an invalid CI file and creates a failed pipeline', async () => {
  await expectSuccess(owner.post(`${project.repository}/branches`, { branch: 'broken', ref: 'main' }));
  await project.commit({ '.gitlab-ci.yml': 'J: {stage: x, script: a}' }, { branch: 'broken' });
  await here.runJobs();
  const before = await countPipelines();
  const { status, body } = await start({ ref: 'broken' });
  assert.equal(status, 422);
  assert.match(body.message.base[0], /^J job: chosen stage x does not exist/);
  assert.equal(await countPipelines(), before + 1);
  const { body: pipeline } = await maintainer.get(`${project.at}/pipelines/latest?ref=broken`);
  assert.deepEqual(
    [pipeline.source, pipeline.status, pipeline.yaml_errors],
    ['trigger', 'failed', body.message.base[0]],
  );
});

test('rejects a payload over 1 MiB', async () => {
  for (const event of [
    'x'.repeat(1024 * 1024),
    'é'.repeat(1024 * 512),
    Array.from({ length: 99 }, () => 'x'.repeat(20_000)),
  ]) {
    const [status] = await refused(start({ event }));
    assert.equal(status, 413);
  }
  assert.equal((await start({ event: 'x'.repeat(1024 * 1023) })).status, 201);
});

test('starts a pipeline by the token of a running job as its user, and rejects tokens of finished jobs', async () => {
  const job = await runningJob(here, project, { user_id: maintainer.id });
  const { status, body } = await start({ token: job.token });
  assert.deepEqual([status, body.source, body.user?.id], [201, 'pipeline', maintainer.id]);
  await database.transaction((tx) =>
    tx.updateTable('jobs').set({ status: 'success' }).where('id', '=', job.id).execute(),
  );
  assert.deepEqual(await refused(start({ token: job.token })), [401, { message: 'Job is not running' }]);
});

test('deletes the triggers of a deleted owner', async () => {
  const username = name('leaving');
  const leaving = await user({ username });
  await project.addMember('maintainer', leaving);
  await tokenOf(leaving);
  await expectSuccess(root.delete(`/users/${leaving.id}`));
  await here.runJobs();
  const { body } = await owner.get(`${project.at}/triggers?per_page=100`);
  assert.ok(!body.some((one: { owner: { username: string } }) => one.owner.username === username));
});
