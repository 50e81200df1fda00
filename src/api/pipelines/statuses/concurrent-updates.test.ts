import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atNextTransaction } from '#test/support/interrupted-transactions.ts';
import { insertJobRow, insertPipelineRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { jobsLockKey } from '../processing/index.ts';

// Many statuses at once, and what jobs and statuses are together (contract/runners.md §4.8).

const here = await world({ project: { readme: true } });
const { project } = here;
const { owner } = project;

async function newCommit() {
  const branch = here.name('branch');
  await expectSuccess(owner.post(`${project.repository}/branches`, { branch, ref: 'main' }));
  const sha = await project.commit({ [`${branch}.txt`]: branch }, { branch });
  const say = (name: string, state: string, params = {}) =>
    owner.post(`${project.at}/statuses/${sha}`, { name, state, ...params });
  const pipelines = async () => (await owner.get(`${project.at}/pipelines`, { sha })).body;
  const status = async () => (await pipelines())[0].status;
  const all = async () =>
    (await owner.get(`${project.repository}/commits/${sha}/statuses`, { all: true, per_page: 100 })).body;
  return { branch, sha, say, pipelines, status, all };
}

test('creates one status for concurrent requests with the same name', async () => {
  const { say, all } = await newCommit();
  const answers = await Promise.all(Array.from({ length: 10 }, () => say('check', 'running')));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 9 }, () => 400)]);
  assert.equal((await all()).length, 1);
});

test('rejects a status that waits too long for the lock, and does not store it', async (t) => {
  const { say, all } = await newCommit();
  await expectSuccess(say('first', 'success'));
  // Whoever has to wait at all waits too long.
  t.mock.method(AbortSignal, 'timeout', () => AbortSignal.abort());
  const { database } = here.server.services;
  atNextTransaction(here, async (run) => {
    const [outcome] = await database.transaction(() => Promise.allSettled([run()]), { lock: jobsLockKey(project.id) });
    if (outcome!.status === 'fulfilled') return outcome!.value;
    throw outcome!.reason;
  });
  const { status, body } = await say('second', 'success');
  assert.deepEqual([status, body], [409, { message: 'Another update to this commit status is in progress' }]);
  assert.equal((await all()).length, 1);
});

test('derives the pipeline status from its jobs and statuses, in any order of arrival', async () => {
  const { branch, sha, say, status, all } = await newCommit();
  const pipeline_id = await insertPipelineRow(here, project, { sha, ref: branch, status: 'success' });
  const job = await insertJobRow(here, project, { pipeline_id, name: 'unit', status: 'success', coverage: 50 });
  const outcomes: [string, string, string][] = [
    ['a', 'pending', 'running'],
    ['b', 'failed', 'running'],
    ['a', 'success', 'failed'],
    ['b', 'success', 'success'],
    ['c', 'canceled', 'canceled'],
  ];
  for (const [name, state, expected] of outcomes) {
    await expectSuccess(say(name, state, { coverage: 100 }));
    assert.equal(await status(), expected, `${name} ${state}`);
  }
  await expectSuccess(say('c', 'skipped'));
  assert.equal((await owner.get(`${project.at}/pipelines/${pipeline_id}`)).body.coverage, '83.33');
  await expectSuccess(owner.post(`${project.at}/jobs/${job}/retry`));
  assert.equal(await status(), 'running');
  assert.equal(new Set((await all()).map(({ id }: { id: number }) => id)).size, 7);
});

test('cancels unfinished external statuses with their pipeline, and keeps external statuses on retry', async () => {
  const { say, pipelines, status, all } = await newCommit();
  await expectSuccess(say('a', 'running'));
  await expectSuccess(say('b', 'failed'));
  const at = `${project.at}/pipelines/${(await pipelines())[0].id}`;
  assert.equal((await owner.post(`${at}/cancel`)).body.status, 'failed');
  const stored = (await all()).map((each: { name: string; status: string }) => [each.name, each.status]);
  assert.deepEqual(stored, [
    ['a', 'canceled'],
    ['b', 'failed'],
  ]);
  await expectSuccess(owner.post(`${at}/retry`));
  assert.equal(await status(), 'failed');
});

test('keeps a pipeline with an invalid CI file failed despite successful statuses', async () => {
  const { branch, sha, say, status } = await newCommit();
  await insertPipelineRow(here, project, {
    sha,
    ref: branch,
    status: 'failed',
    yaml_errors: 'Invalid configuration format',
  });
  await expectSuccess(say('a', 'success'));
  assert.equal(await status(), 'failed');
});

test('shows statuses on commits and merge requests, and deletes them with their pipeline', async () => {
  const { branch, sha, say, pipelines, all } = await newCommit();
  const params = { source_branch: branch, target_branch: 'main', title: 'Merge' };
  const { iid } = (await expectSuccess(owner.post(`${project.at}/merge_requests`, params))).body;
  await expectSuccess(say('a', 'running'));
  const { id } = (await pipelines())[0];
  const commit = (await owner.get(`${project.repository}/commits/${sha}`)).body;
  assert.deepEqual([commit.status, commit.last_pipeline.id], ['running', id]);
  const merge = (await owner.get(`${project.at}/merge_requests/${iid}`)).body;
  assert.deepEqual([merge.head_pipeline.id, merge.head_pipeline.status], [id, 'running']);
  await expectSuccess(owner.delete(`${project.at}/pipelines/${id}`));
  assert.deepEqual(await all(), []);
});

test('merges a merge request automatically after its external statuses succeed', async () => {
  const { branch, say } = await newCommit();
  const params = { source_branch: branch, target_branch: 'main', title: 'Merge' };
  const { iid } = (await expectSuccess(owner.post(`${project.at}/merge_requests`, params))).body;
  const at = `${project.at}/merge_requests/${iid}`;
  await expectSuccess(say('check', 'running'));
  await expectSuccess(owner.put(`${at}/merge`, { auto_merge: true }));
  await here.runJobs();
  assert.equal((await owner.get(at)).body.state, 'opened');
  await expectSuccess(say('check', 'success'));
  await here.runJobs();
  assert.equal((await owner.get(at)).body.state, 'merged');
});
