import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { getFeed } from './fixtures.testing.ts';

test('shows ref, commit count and commits of a push', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const at = project.repository;
  const tip = async (branch: string) => (await expectSuccess(owner.get(`${at}/branches/${branch}`))).body.commit.id;
  const first = await tip('main');
  await expectSuccess(owner.post(`${at}/branches`, { branch: 'feature', ref: 'main' }));
  const title = 'x'.repeat(71);
  const actions = [{ action: 'create', file_path: 'a.txt', content: 'a' }];
  await expectSuccess(
    owner.post(`${at}/commits`, { branch: 'feature', commit_message: `  ${title}\n\nBody`, actions }),
  );
  const second = await tip('feature');
  await expectSuccess(owner.post(`${at}/tags`, { tag_name: 'v1', ref: 'main' }));
  await expectSuccess(owner.delete(`${at}/branches/feature`));
  const pushes = await getFeed(owner, `${project.at}/events`, { action: 'pushed' });
  const row = ({ push_data, action_name }: Record<string, unknown>) => {
    const { action, ref_type, ref, commit_from, commit_to, commit_count, commit_title } = push_data as Record<
      string,
      unknown
    >;
    return [action_name, action, ref_type, ref, commit_from, commit_to, commit_count, commit_title];
  };
  assert.deepEqual(pushes.map(row).slice(0, 4), [
    ['deleted', 'removed', 'branch', 'feature', second, null, 0, null],
    ['pushed new', 'created', 'tag', 'v1', null, first, 1, 'Initial commit'],
    ['pushed to', 'pushed', 'branch', 'feature', first, second, 1, `${'x'.repeat(67)}...`],
    ['pushed new', 'created', 'branch', 'feature', null, first, 0, null],
  ]);
  assert.deepEqual(
    pushes.map(({ author_username }) => author_username),
    Array(5).fill(owner.username),
  );
});
