import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type Runner, world } from '#test/support/world.ts';

// contract/runners.md §1.6

const here = await world({ group: { with: ['developer', 'maintainer'] } });
const { group, owner, maintainer, developer, root, newRunner, newProject } = here;
const [first, second] = [await newProject({ in: group }), await newProject({ in: group })];

const assign = (caller: Caller, runner_id: number, project = second) =>
  caller.post(`${project.at}/runners`, { runner_id });
const unassign = (caller: Caller, { id }: Pick<Runner, 'id'>, project = second) =>
  caller.delete(`${project.at}/runners/${id}`);
const forbidden = (reason: string) => [403, { message: `403 Forbidden - ${reason}` }];

test('assigns a runner to another project once', async () => {
  const { id } = await newRunner({ in: first });
  const { status, body } = await assign(maintainer, id);
  assert.deepEqual([status, body.id, 'tag_list' in body], [201, id, false]);
  const listed = (await owner.get(`${second.at}/runners`, { type: 'project_type' })).body;
  assert.ok(listed.some((runner: Runner) => runner.id === id));
  const again = await assign(maintainer, id);
  assert.equal(again.status, 400);
  assert.match(again.body.message, /^400 Bad request - /);
});

test('requires rights in the project and on the runner', async () => {
  const { id } = await newRunner({ in: first });
  assert.deepEqual((await assign(developer, id)).body, { message: '403 Forbidden' });
  const foreign = await newProject();
  const { status, body } = await assign(foreign.owner, id, foreign);
  assert.deepEqual([status, body], forbidden('No access granted'));
  assert.equal((await assign(owner, 999_999)).status, 404);
  assert.deepEqual((await owner.post(`${second.at}/runners`)).body, { error: 'runner_id is missing' });
});

test('rejects assignment of group, instance and locked runners to projects', async () => {
  const cases = [
    [await newRunner({ in: group }), forbidden('Runner is a group runner'), 403],
    [await newRunner(), forbidden('No access granted'), 400],
    [await newRunner({ in: first, locked: true }), forbidden('Runner is locked'), 201],
  ] as const;
  for (const [{ id }, refusal, toRoot] of cases) {
    const { status, body } = await assign(owner, id);
    assert.deepEqual([status, body], refusal);
    assert.equal((await assign(root, id)).status, toRoot);
  }
});

test('removes a runner from a project, but not from its owner project', async () => {
  const runner = await newRunner({ in: first });
  await assign(owner, runner.id);
  assert.equal((await unassign(developer, runner)).status, 403);
  assert.equal((await unassign(maintainer, runner)).status, 204);
  const gone = await unassign(maintainer, runner);
  assert.deepEqual([gone.status, gone.body], [404, { message: '404 Runner Not Found' }]);
  const fromOwner = await unassign(maintainer, runner, first);
  assert.deepEqual([fromOwner.status, fromOwner.body], forbidden('No access granted'));
  const byRoot = await unassign(root, runner, first);
  const text = 'You cannot unassign a runner from the owner project. Delete the runner instead';
  assert.deepEqual([byRoot.status, byRoot.body], forbidden(text));
});

test('allows only administrators to remove a locked runner from projects', async () => {
  const runner = await newRunner({ in: first });
  await assign(owner, runner.id);
  await owner.put(runner.at, { locked: true });
  const { status, body } = await unassign(owner, runner);
  assert.deepEqual([status, body], forbidden('Runner is locked'));
  assert.equal((await unassign(root, runner)).status, 204);
});
