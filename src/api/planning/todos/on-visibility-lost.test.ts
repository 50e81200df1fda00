import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, done, world } from '#test/support/world.ts';
import { newIssue } from '../notes/fixtures.testing.ts';
import { describeTodos } from './fixtures.testing.ts';

const { user, newGroup, newProject, work, root, server } = await world();

const kept = async ({ id }: Caller) =>
  (await server.services.database.reader.selectFrom('todos').select('id').where('user_id', '=', id).execute()).length;

test('deletes to-do items of a former member for good', async () => {
  const group = await newGroup({ with: ['guest'] });
  const { guest, owner } = group;
  const project = await newProject({ in: group });
  await done(guest.post(`${(await newIssue(project)).at}/todo`));
  await done(owner.delete(`${group.at}/members/${guest.id}`));
  assert.deepEqual(await describeTodos(guest), []);
  await work();
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
      await done(owner.put(project.at, { visibility: 'private' }));
      return owner.put(group.at, { visibility: 'private' });
    },
  };
  const issues: Record<string, { at: string }> = {};
  const { at: epic } = {
    at: `${group.at}/epics/${(await done(owner.post(`${group.at}/epics`, { title: 'x' }))).body.iid}`,
  };
  for (const [name, end] of Object.entries(ends)) {
    issues[name] = await newIssue(project);
    const stranger = await user();
    for (const who of [stranger, guest]) {
      await done(who.post(`${issues[name].at}/todo`));
      if (name === 'private') await done(who.post(`${epic}/todo`));
    }
    await done(end() as never);
    await work();
    if (name === 'feature') await done(owner.put(project.at, { issues_access_level: 'enabled' }));
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
  await done(root.delete(`/users/${ada.id}`));
  await work();
  const [todo] = (await bob.get('/todos')).body;
  assert.deepEqual([todo.author.username, await kept(ada)], ['ghost', 0]);
});
