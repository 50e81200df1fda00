import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

test('counts open issues, and confidential ones only for callers who may read them', async () => {
  const { project, owner, guest } = await world({ project: { with: ['guest'] } });
  const file = (params: Readonly<Record<string, unknown>>) =>
    expectSuccess(owner.post(`${project.at}/issues`, { title: 'T', ...params }));
  await file({});
  await file({ confidential: true });
  const { body } = await file({});
  await expectSuccess(owner.put(`${project.at}/issues/${body.iid}`, { state_event: 'close' }));
  assert.equal((await owner.get(project.at)).body.open_issues_count, 2);
  assert.equal((await guest.get(project.at)).body.open_issues_count, 1);
  const [listed] = (await guest.get('/projects', { membership: true })).body;
  assert.equal(listed.open_issues_count, 1);
});
