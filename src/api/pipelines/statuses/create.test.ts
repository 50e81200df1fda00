import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertJobRow, insertPipelineRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// What others than runners say of commits (contract/runners.md §4.8).

const here = await world({ project: { readme: true, with: ['reporter', 'developer', 'maintainer'] } });
const { project, clock, anonymous, reporter, developer, maintainer } = here;

/** Each test has a commit of its own, the head of a branch of its own. */
async function newCommit() {
  const branch = here.name('branch');
  await expectSuccess(project.owner.post(`${project.repository}/branches`, { branch, ref: 'main' }));
  const sha = await project.commit({ [`${branch}.txt`]: branch }, { branch });
  const at = `${project.at}/statuses/${sha}`;
  const say = (params: object, by = developer) => by.post(at, { name: 'lint', ...params });
  const pipelines = async () => (await project.owner.get(`${project.at}/pipelines`, { sha })).body;
  const all = async (params = {}) =>
    (await project.owner.get(`${project.repository}/commits/${sha}/statuses`, { all: true, ...params })).body;
  return { branch, sha, at, say, pipelines, all };
}

test('creates a pipeline for a commit without one and derives its status from the statuses', async () => {
  const { branch, sha, say, pipelines } = await newCommit();
  const params = { target_url: 'https://ci.example/1', description: 'All fine', coverage: 87.5 };
  const { status, body } = await say({ state: 'success', ...params });
  assert.equal(status, 201);
  const [pipeline, ...more] = await pipelines();
  assert.deepEqual([pipeline.source, pipeline.status, pipeline.ref, more], ['external', 'success', branch, []]);
  const now = clock.now().toISOString();
  const { author, ...rest } = body;
  assert.equal(author.username, developer.username);
  assert.deepEqual(rest, {
    ...{ id: body.id, sha, ref: branch, status: 'success', name: 'lint', ...params, created_at: now },
    ...{ started_at: null, finished_at: now, allow_failure: false, pipeline_id: pipeline.id },
  });
  const read = (await project.owner.get(`${project.at}/pipelines/${pipeline.id}`)).body;
  assert.deepEqual([read.user.username, read.coverage], [developer.username, '87.50']);
  assert.deepEqual((await project.owner.get(`${project.at}/pipelines/${pipeline.id}/jobs`)).body, []);
});

/** From what has been said to what is said next: the word of a step that is not possible, or how many attempts there are. */
for (const [before, now, expected] of [
  ['pending', 'pending', 'enqueue'],
  ['pending', 'running', 1],
  ['pending', 'success', 1],
  ['pending', 'failed', 1],
  ['pending', 'canceled', 1],
  ['pending', 'skipped', 1],
  ['running', 'pending', 'enqueue'],
  ['running', 'running', 'run'],
  ['running', 'success', 1],
  ['running', 'failed', 1],
  ['running', 'canceled', 1],
  ['running', 'skipped', 'skip'],
  ['success', 'pending', 2],
  ['failed', 'success', 2],
  ['canceled', 'running', 2],
  ['skipped', 'skipped', 2],
] as const) {
  test(`after ${before}, ${now} is ${typeof expected === 'number' ? `attempt ${expected}` : 'no step'}`, async () => {
    const { say, all } = await newCommit();
    const first = await expectSuccess(say({ state: before, description: 'first' }));
    const answer = await say({ state: now });
    const stored = await all();
    if (typeof expected === 'string') {
      const message = `Cannot transition status via :${expected} from :${before} (Reason(s): Status cannot transition via "${expected}")`;
      assert.deepEqual([answer.status, answer.body], [400, { message }]);
      assert.deepEqual(stored, [first.body]);
      return;
    }
    assert.deepEqual([answer.status, answer.body.status], [201, now]);
    assert.equal(answer.body.description, expected === 1 ? 'first' : null);
    assert.equal(stored.length, expected);
    assert.equal(answer.body.id === first.body.id, expected === 1);
  });
}

test('what another has begun under a name is not brought on, but counts as retried', async () => {
  const { say, all, pipelines } = await newCommit();
  await expectSuccess(say({ state: 'pending' }));
  const other = await say({ state: 'failed' }, maintainer);
  assert.equal(other.status, 201);
  assert.equal((await all()).length, 2);
  assert.deepEqual(
    (await all({ all: false })).map(({ id }: { id: number }) => id),
    [other.body.id],
  );
  assert.equal((await pipelines())[0].status, 'failed');
});

test('sets the timestamps at the transitions', async () => {
  const { say } = await newCommit();
  const moment = () => clock.now().toISOString();
  await expectSuccess(say({ state: 'pending' }));
  clock.advance(5);
  const started = moment();
  assert.deepEqual((await say({ state: 'running' })).body.started_at, started);
  clock.advance(5);
  const { body } = await say({ state: 'failed' });
  assert.deepEqual([body.started_at, body.finished_at], [started, moment()]);
});

test('the pipeline is the newest of the commit, or of its ref, or the one that is named', async () => {
  const { sha, branch, say } = await newCommit();
  const old = await insertPipelineRow(here, project, { sha, ref: branch, status: 'success' });
  const other = await insertPipelineRow(here, project, { sha, ref: 'other', status: 'success' });
  const foreign = await insertPipelineRow(here, project, { status: 'success' });
  const missing = { message: '404 Pipeline for pipeline_id, sha and ref Not Found' };
  for (const [params, expected] of [
    [{}, other],
    [{ ref: branch }, old],
    [{ ref: `refs/heads/${branch}` }, old],
    [{ pipeline_id: old }, old],
    [{ pipeline_id: old, ref: branch }, old],
    [{ pipeline_id: old, ref: 'other' }, missing],
    [{ pipeline_id: foreign }, missing],
    [{ pipeline_id: 999_999 }, missing],
  ] as const) {
    const { status, body } = await say({ state: 'success', ...params });
    const found = typeof expected === 'number' ? body.pipeline_id : body;
    assert.deepEqual([status, found], [typeof expected === 'number' ? 201 : 404, expected], JSON.stringify(params));
  }
  const fresh = await say({ state: 'success', ref: 'third' });
  assert.deepEqual([fresh.status, fresh.body.ref], [201, 'third']);
  assert.ok(fresh.body.pipeline_id > foreign);
});

test('rejects a status with the name of a job', async () => {
  const { sha, branch, say, all } = await newCommit();
  const pipeline_id = await insertPipelineRow(here, project, { sha, ref: branch });
  await insertJobRow(here, project, { pipeline_id, name: 'lint', status: 'running' });
  const refused = await say({ state: 'success' });
  assert.deepEqual([refused.status, refused.body], [400, { message: { name: ['has already been taken'] } }]);
  assert.equal((await all()).length, 1);
  for (const [params, name] of [
    [{ name: null, context: 'ci/other' }, 'ci/other'],
    [{ name: '', context: null }, 'default'],
    [{ name: 'mine', context: 'other' }, 'mine'],
  ] as const) {
    assert.equal((await say({ state: 'pending', ...params })).body.name, name);
  }
});

test('rejects invalid values and stores nothing', async () => {
  const { say, all, pipelines } = await newCommit();
  const url = (text: string) => ({ message: { target_url: [text] } });
  for (const [params, body] of [
    [{}, { error: 'state is missing, state does not have a valid value' }],
    [{ state: 'manual' }, { error: 'state does not have a valid value' }],
    [{ state: 'success', coverage: 'much' }, { error: 'coverage is invalid' }],
    [{ state: 'success', name: 'x'.repeat(256) }, { message: { name: ['is too long (maximum is 255 characters)'] } }],
    ...['javascript:alert(1)', 'ftp://a/b'].map(
      (target_url) =>
        [{ state: 'success', target_url }, url('is blocked: Only allowed schemes are http, https')] as const,
    ),
    [{ state: 'success', target_url: `https://a/${'x'.repeat(255)}` }, url('is too long (maximum is 255 characters)')],
    [{ state: 'success', target_url: 'a b' }, url('is blocked: URI is invalid')],
  ] as const) {
    const answer = await say(params);
    assert.deepEqual([answer.status, answer.body], [400, body], JSON.stringify(params));
  }
  assert.deepEqual([await all(), await pipelines()], [[], []]);
});

test('Developers say it, of a protected branch those who may push or merge to it', async () => {
  const { branch, sha, say } = await newCommit();
  assert.equal((await say({ state: 'success' }, reporter)).status, 403);
  assert.equal((await anonymous.post(`${project.at}/statuses/${sha}`, { state: 'success' })).status, 401);
  const rule = { name: branch, push_access_level: 40, merge_access_level: 40 };
  await expectSuccess(project.owner.post(`${project.at}/protected_branches`, rule));
  const refused = await say({ state: 'success' });
  assert.deepEqual([refused.status, refused.body], [403, { message: '403 Forbidden' }]);
  assert.equal((await say({ state: 'success' }, maintainer)).status, 201);
  assert.equal((await say({ state: 'success', ref: 'open' })).status, 201);
});

test('a commit must be there, and be on a branch where no ref is named', async () => {
  const unknown = await developer.post(`${project.at}/statuses/${'1'.repeat(40)}`, { state: 'success' });
  assert.deepEqual([unknown.status, unknown.body], [404, { message: '404 Commit Not Found' }]);
  const { branch, say, pipelines } = await newCommit();
  await expectSuccess(project.owner.post(`${project.repository}/tags`, { tag_name: `${branch}-tag`, ref: branch }));
  await expectSuccess(project.owner.delete(`${project.repository}/branches/${branch}`));
  const lost = await say({ state: 'success' });
  assert.deepEqual([lost.status, lost.body], [404, { message: '404 References for commit Not Found' }]);
  await expectSuccess(say({ state: 'success', ref: `${branch}-tag` }));
  const [pipeline] = await pipelines();
  assert.equal((await project.owner.get(`${project.at}/pipelines/${pipeline.id}`)).body.tag, true);
});
