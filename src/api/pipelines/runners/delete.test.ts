import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runningJob } from '#test/support/pipeline-rows.ts';
import { type Caller, type Runner, world } from '#test/support/world.ts';

// contract/runners.md §1.4, §3.2, "Background work"

const here = await world({ group: { with: ['developer', 'maintainer'] } });
const { group, owner, maintainer, developer, root, anonymous, newRunner, newProject, clock } = here;
const project = await newProject({ in: group });
const EARLIER = { 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' };

const isThere = async ({ at }: Runner) => (await root.get(at)).status === 200;
const counts = async ({ token }: Runner) => (await anonymous.post('/runners/verify', { token })).status === 200;

test('allows authorized users to delete a runner and invalidates its token', async () => {
  const cases: readonly [() => Promise<Runner>, readonly Caller[], readonly Caller[]][] = [
    [() => newRunner(), [root], [owner]],
    [() => newRunner({ in: group }), [owner, root], [maintainer, developer]],
    [() => newRunner({ in: project }), [owner, maintainer, root], [developer]],
  ];
  for (const [make, may, mayNot] of cases) {
    for (const caller of may) {
      const runner = await make();
      assert.ok(await counts(runner));
      const { status, text } = await caller.delete(runner.at);
      assert.deepEqual([status, text], [204, '']);
      assert.deepEqual([await isThere(runner), await counts(runner)], [false, false]);
    }
    const runner = await make();
    for (const caller of mayNot) {
      const { status, body } = await caller.delete(runner.at);
      assert.deepEqual([status, body], [403, { message: '403 Forbidden - No access granted' }]);
    }
    assert.ok(await isThere(runner));
  }
});

test('allows only administrators to delete a runner of several projects', async () => {
  const other = await newProject({ owner });
  const runner = await newRunner({ in: project });
  await owner.post(`${other.at}/runners`, { runner_id: runner.id });
  for (const caller of [owner, developer]) {
    const { status, body } = await caller.delete(runner.at);
    assert.deepEqual(
      [status, body],
      [403, { message: '403 Forbidden - Runner associated with more than one project' }],
    );
  }
  assert.equal((await root.delete(runner.at)).status, 204);
});

test('deletes a runner by its token, or one of its managers by a system_id', async () => {
  const runner = await newRunner();
  const { token } = runner;
  for (const system_id of ['s_1', 's_2']) await anonymous.post('/runners/verify', { token, system_id });
  assert.equal((await anonymous.delete('/runners/managers', { token })).body.error, 'system_id is missing');
  assert.equal((await anonymous.delete('/runners/managers', { token: 'wrong', system_id: 's_1' })).status, 403);
  assert.equal((await anonymous.delete('/runners/managers', { token, system_id: 's_1' })).status, 204);
  const again = await anonymous.delete('/runners/managers', { token, system_id: 's_1' });
  assert.deepEqual([again.status, again.body], [404, { message: '404 Runner manager not found Not Found' }]);
  const left = (await root.get(`${runner.at}/managers`)).body;
  assert.deepEqual(
    left.map(({ system_id }: { system_id: string }) => system_id),
    ['s_2'],
  );
  const early = await anonymous.send('DELETE', '/runners', { params: { token }, headers: EARLIER });
  assert.equal(early.status, 412);
  const wrong = await anonymous.send('DELETE', '/runners', { params: { token: 'wrong' }, headers: EARLIER });
  assert.equal(wrong.status, 403);
  assert.equal((await anonymous.delete('/runners', { token })).status, 204);
  assert.equal((await anonymous.delete('/runners', { token })).status, 403);
  assert.equal((await anonymous.delete('/runners')).status, 400);
  assert.equal(await isThere(runner), false);
});

test('keeps the jobs of a deleted runner', async () => {
  const runner = await newRunner({ in: project });
  const { id } = await runningJob(here, project, { runner_id: runner.id });
  assert.equal((await root.get(runner.at)).body.job_execution_status, 'active');
  assert.equal((await root.delete(runner.at)).status, 204);
  const { reader } = here.server.services.database;
  const job = await reader.selectFrom('jobs').select('status').where('id', '=', id).executeTakeFirst();
  assert.equal(job?.status, 'running');
});

test('a project that ends leaves its runners to the next one, and takes along those that are in no other', async () => {
  const [first, second] = [await newProject({ owner }), await newProject({ owner })];
  const [shared, own] = [await newRunner({ in: first }), await newRunner({ in: first })];
  await owner.post(`${second.at}/runners`, { runner_id: shared.id });
  await owner.delete(first.at);
  await root.delete(first.at, {
    permanently_remove: true,
    full_path: (await root.get(first.at)).body.path_with_namespace,
  });
  await here.runJobs();
  assert.deepEqual([await isThere(own), await isThere(shared)], [false, true]);
  assert.equal((await owner.delete(shared.at)).status, 204);
});

test('keeps a runner when its creator is deleted', async () => {
  const leaver = await group.addMember('owner');
  const { body } = await leaver.post('/user/runners', { runner_type: 'group_type', group_id: group.id });
  await root.delete(`/users/${leaver.id}`, { hard_delete: true });
  await here.runJobs();
  const shown = await owner.get(`/runners/${body.id}`);
  assert.deepEqual([shown.status, 'created_by' in shown.body], [200, false]);
});

test('deletes managers without contact for seven days, but not their runner', async () => {
  const runner = await newRunner();
  const verify = (system_id: string) => anonymous.post('/runners/verify', { token: runner.token, system_id });
  await verify('s_1');
  clock.advance(1);
  await verify('s_2');
  clock.advance(7 * 86_400 - 1);
  await here.server.queue.runDue();
  await here.server.queue.runDue();
  const left = (await root.get(`${runner.at}/managers`)).body;
  assert.deepEqual(
    left.map(({ system_id }: { system_id: string }) => system_id),
    ['s_2'],
  );
});
