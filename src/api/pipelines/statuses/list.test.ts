import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertJobRow, insertPipelineRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// What jobs and others say of a commit (contract/runners.md §4.8).

const here = await world({ project: { readme: true, with: ['guest'] } });
const { project, anonymous, guest } = here;
const { owner } = project;

test('lists jobs and statuses of all pipelines of a commit, ordered, filtered and in pages', async () => {
  const sha = await project.commit({ 'a.txt': 'a' });
  const [first, second] = [
    await insertPipelineRow(here, project, { sha, ref: 'one', status: 'success' }),
    await insertPipelineRow(here, project, { sha, ref: 'two', status: 'success' }),
  ];
  await insertPipelineRow(here, project, { status: 'success' });
  await insertJobRow(here, project, { pipeline_id: second, name: 'unit', stage: 'test' });
  await insertJobRow(here, project, {
    pipeline_id: first,
    name: 'old',
    stage: 'build',
    retried: true,
    status: 'failed',
  });
  const say = (pipeline_id: number, name: string, state: string) =>
    expectSuccess(owner.post(`${project.at}/statuses/${sha}`, { pipeline_id, name, state }));
  await say(first, 'lint', 'failed');
  await say(first, 'lint', 'success');
  await say(second, 'scan', 'pending');
  const at = `${project.repository}/commits/${sha}/statuses`;
  for (const [params, expected] of [
    [{}, 'unit lint scan'],
    [{ all: true }, 'unit old lint lint scan'],
    [{ sort: 'desc' }, 'scan lint unit'],
    [{ order_by: 'pipeline_id' }, 'lint unit scan'],
    [{ order_by: 'pipeline_id', sort: 'desc' }, 'scan unit lint'],
    [{ ref: 'one', all: true }, 'old lint lint'],
    [{ pipeline_id: second }, 'unit scan'],
    [{ stage: 'external' }, 'lint scan'],
    [{ stage: 'test' }, 'unit'],
    [{ name: 'scan' }, 'scan'],
    [{ name: 'unit', ref: 'one' }, ''],
    [{ per_page: 1, page: 2 }, 'lint'],
  ] as const) {
    const { status, body } = await owner.get(at, params);
    const names = body.map(({ name }: { name: string }) => name).join(' ');
    assert.deepEqual([status, names], [200, expected], JSON.stringify(params));
  }
  assert.equal((await owner.get(at, { per_page: 1 })).headers['x-total'], '3');
});

test('a job says what it is, and nothing that only statuses have', async () => {
  const sha = await project.commit({ 'b.txt': 'b' });
  const pipeline_id = await insertPipelineRow(here, project, { sha, ref: 'main', status: 'failed' });
  const id = await insertJobRow(here, project, { pipeline_id, name: 'unit', status: 'failed', allow_failure: true });
  const [job] = (await owner.get(`${project.repository}/commits/${sha}/statuses`)).body;
  const { author, created_at, ...rest } = job;
  assert.equal(author.username, owner.username);
  assert.deepEqual(rest, {
    ...{ id, sha, ref: 'main', status: 'failed', name: 'unit', target_url: null, description: null },
    ...{ started_at: null, finished_at: null, allow_failure: true, coverage: null, pipeline_id },
  });
});

test('rejects callers who cannot read pipelines, missing commits and unknown orders', async () => {
  const at = `${project.repository}/commits/main/statuses`;
  assert.equal((await anonymous.get(at)).status, 401);
  assert.equal((await guest.get(at)).status, 200);
  await expectSuccess(owner.put(project.at, { public_jobs: false }));
  const hidden = await guest.get(at);
  assert.deepEqual([hidden.status, hidden.body], [403, { message: '403 Forbidden' }]);
  const missing = await owner.get(`${project.repository}/commits/${'2'.repeat(40)}/statuses`);
  assert.deepEqual([missing.status, missing.body], [404, { message: '404 Commit Not Found' }]);
  const odd = await owner.get(at, { order_by: 'name' });
  assert.deepEqual([odd.status, odd.body], [400, { error: 'order_by does not have a valid value' }]);
});
