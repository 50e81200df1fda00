import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { newIssue } from '../notes/fixtures.testing.ts';
import { describeTodos } from './fixtures.testing.ts';

const { user, newGroup, newProject, runJobs, root, server } = await world();

const kept = async ({ id }: Caller) =>
  (await server.services.database.reader.selectFrom('todos').select('id').where('user_id', '=', id).execute()).length;

test('deletes to-do items of a former member for good', async () => {
  const group = await newGroup({ with: ['guest'] });
  const { guest, owner } = group;
  const project = await newProject({ in: group });
  await expectSuccess(guest.post(`${(await newIssue(project)).at}/todo`));
  await expectSuccess(owner.delete(`${group.at}/members/${guest.id}`));
  assert.deepEqual(await describeTodos(guest), []);
  await runJobs();
  await group.addMember('guest', guest);
  assert.deepEqual(await describeTodos(guest), []);
});

test('deletes to-do items of users without a role when a project becomes private', async () => {
  const group = await newGroup({ visibility: 'public', with: ['guest'] });
  const project = await newProject({ in: group, visibility: 'public' });
  const { owner, guest } = group;
  const ends: Readonly<Record<string, () => Promise<unknown>>> = {
    confidential: () => owner.put(issues.confidential!.at, { confidential: true }),
    feature: () => owner.put(project.at, { issues_access_level: 'private' }),
    private: async () => {
      await expectSuccess(owner.put(project.at, { visibility: 'private' }));
      return owner.put(group.at, { visibility: 'private' });
    },
  };
  const issues: Record<string, { at: string }> = {};
  const { at: epic } = {
    at: `${group.at}/epics/${(await expectSuccess(owner.post(`${group.at}/epics`, { title: 'x' }))).body.iid}`,
  };
  for (const [name, end] of Object.entries(ends)) {
    issues[name] = await newIssue(project);
    const stranger = await user();
    for (const who of [stranger, guest]) {
      await expectSuccess(who.post(`${issues[name].at}/todo`));
      if (name === 'private') await expectSuccess(who.post(`${epic}/todo`));
    }
    await expectSuccess(end() as never);
    await runJobs();
    if (name === 'feature') await expectSuccess(owner.put(project.at, { issues_access_level: 'enabled' }));
    assert.equal(await kept(stranger), 0, name);
  }
  assert.equal(await kept(guest), 3);
});

test('deletes items of a deleted user, and reassigns those they caused to the ghost user', async () => {
  const [ada, bob] = [await user(), await user()];
  const project = await newProject({ owner: ada });
  await project.addMember('developer', bob);
  const own = await newProject({ owner: bob });
  await own.addMember('developer', ada);
  await newIssue(own, { assignee_ids: [bob.id] }, ada);
  await newIssue(own, { assignee_ids: [ada.id] }, bob);
  await expectSuccess(root.delete(`/users/${ada.id}`));
  await runJobs();
  const [todo] = (await bob.get('/todos')).body;
  assert.deepEqual([todo.author.username, await kept(ada)], ['ghost', 0]);
});

test('looks for to-do items to delete only if a feature has become less visible', async () => {
  const { owner, at, id } = await newProject({ visibility: 'public' });
  const isJobQueued = async (level: string) => {
    await expectSuccess(owner.put(at, { issues_access_level: level }));
    const query = server.services.database.reader.selectFrom('background_jobs').select('payload');
    const rows = await query.where('kind', '=', 'delete_todos_after_visibility_change').execute();
    await runJobs();
    return rows.some(({ payload }) => String(payload).includes(`"id":${id}}`));
  };
  assert.deepEqual(
    [
      await isJobQueued('disabled'),
      await isJobQueued('private'),
      await isJobQueued('enabled'),
      await isJobQueued('private'),
    ],
    [true, false, false, true],
  );
});
