import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

// contract/runners.md §2.1

const here = await world({ group: { with: ['guest', 'developer', 'maintainer'] } });
const { group, owner, maintainer, developer, root, newProject } = here;

test('allows only authorized users to create each type of runner', async () => {
  const project = await newProject({ in: group });
  const requests = [
    [{ runner_type: 'instance_type' }, [root], [owner]],
    [{ runner_type: 'group_type', group_id: group.id }, [owner, root], [maintainer, await here.user()]],
    [{ runner_type: 'project_type', project_id: project.id }, [maintainer, owner], [developer]],
  ] as const;
  for (const [params, may, mayNot] of requests) {
    for (const caller of may)
      assert.equal((await caller.post('/user/runners', params)).status, 201, params.runner_type);
    for (const caller of mayNot) {
      const { status, body } = await caller.post('/user/runners', params);
      assert.deepEqual([status, body], [403, { message: '403 Forbidden - Insufficient permissions' }]);
    }
    assert.equal((await here.anonymous.post('/user/runners', params)).status, 401);
  }
});

test('creates a runner with the default attributes and its creator', async () => {
  const made = await owner.post('/user/runners', { runner_type: 'group_type', group_id: group.id });
  const { id, token, token_expires_at, ...rest } = made.body;
  assert.match(token, /^glrt-[\w-]{20}$/);
  assert.deepEqual([token_expires_at, rest], [null, {}]);
  const { body } = await owner.get(`/runners/${id}`);
  const { run_untagged, locked, access_level, paused, active, created_by, online, status, ip_address } = body;
  assert.deepEqual([run_untagged, locked, access_level, paused, active], [true, false, 'not_protected', false, true]);
  assert.deepEqual([created_by.username, online, status, ip_address], [owner.username, null, 'never_contacted', '']);
  assert.deepEqual([body.description, body.name, body.maximum_timeout], [null, null, null]);
});

test('accepts the scope create_runner, but not read_api', async () => {
  const params = { runner_type: 'group_type', group_id: group.id };
  const creator = await here.tokenOf(owner, ['create_runner']);
  assert.equal((await creator.post('/user/runners', params)).status, 201);
  assert.equal((await creator.get('/projects')).status, 403);
  const reader = await here.tokenOf(owner, ['read_api']);
  assert.equal((await reader.post('/user/runners', params)).body.error, 'insufficient_scope');
});

test('reports a missing type, group or project', async () => {
  const both = 'runner_type is missing, runner_type does not have a valid value';
  const cases = [
    [{}, { error: both }],
    [{ runner_type: 'shared' }, { error: 'runner_type does not have a valid value' }],
    [{ runner_type: 'group_type' }, { error: 'group_id is missing' }],
    [{ runner_type: 'group_type', group_id: '' }, { error: 'group_id is missing' }],
    [{ runner_type: 'project_type' }, { error: 'project_id is missing' }],
    [{ runner_type: 'project_type', project_id: '' }, { error: 'project_id is missing' }],
    [{ runner_type: 'group_type', group_id: 999_999 }, { message: '400 Bad request - Missing/invalid group' }],
    [{ runner_type: 'project_type', project_id: 999_999 }, { message: '400 Bad request - Missing/invalid project' }],
  ] as const;
  for (const [params, answer] of cases) {
    const { status, body } = await root.post('/user/runners', params);
    assert.deepEqual([status, body], [400, answer]);
  }
});

test('what is wrong with a new runner is one sentence', async () => {
  const cases = [
    [{ maximum_timeout: 599 }, 'Maximum timeout needs to be at least 10 minutes'],
    [{ run_untagged: false }, 'Tags list can not be empty when runner is not allowed to pick untagged jobs'],
    [{ maintenance_note: 'x'.repeat(1025) }, 'Maintenance note is too long (maximum is 1024 characters)'],
    [{ description: 'x'.repeat(1025) }, 'Description is too long (maximum is 1024 characters)'],
    [
      { tag_list: Array.from({ length: 51 }, (_, index) => `t${index}`) },
      'Tags list Too many tags specified. Please limit the number of tags to 50',
    ],
  ] as const;
  for (const [params, sentence] of cases) {
    const { status, body } = await root.post('/user/runners', { runner_type: 'instance_type', ...params });
    assert.deepEqual([status, body], [400, { message: `400 Bad request - ${sentence}` }]);
  }
});

test('accepts fifty tags, ten minutes and 1024 characters, and removes duplicate tags', async () => {
  const tag_list = Array.from({ length: 50 }, (_, index) => `t${index}`);
  const limits = { maximum_timeout: 600, maintenance_note: 'ü'.repeat(1024), run_untagged: false };
  const { at } = await here.newRunner({ ...limits, tag_list: [...tag_list, 't0', ''] });
  const { body } = await root.get(at);
  assert.deepEqual(body.tag_list, tag_list);
  assert.deepEqual([body.maximum_timeout, body.maintenance_note.length, body.run_untagged], [600, 1024, false]);
});

test('rejects new runners in an archived group', async () => {
  const archived = await here.newGroup();
  await archived.owner.post(`${archived.at}/archive`);
  const params = { runner_type: 'group_type', group_id: archived.id };
  assert.equal((await archived.owner.post('/user/runners', params)).status, 403);
});
