import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';

const { project, owner, reporter } = await world({ project: { readme: true, with: ['reporter'] } });
const { body: commit } = await expectSuccess(owner.get(`${project.repository}/commits/main`));
const discussions = `${project.repository}/commits/${commit.id}/discussions`;

const comment = async (body: string, by: Caller = owner) => {
  const response = await by.post(discussions, { body });
  return [response.status, response.body.summary?.[0] ?? response.body.message ?? response.body.notes[0].body];
};
const findTag = async (name: string) => (await owner.get(`${project.repository}/tags/${name}`)).body;

test('/tag creates a tag of the commit with a system note', async () => {
  assert.deepEqual(await comment('/tag v1.0'), [202, 'Tagged this commit to v1.0.']);
  const tag = await findTag('v1.0');
  assert.deepEqual([tag.target, tag.message], [commit.id, '']);
  const thread = await expectSuccess(owner.post(discussions, { body: 'Ready\n/tag v1.1 Security release' }));
  const [note] = thread.body.notes;
  assert.deepEqual(
    [note.body, note.commands_changes],
    ['Ready', { tag_name: 'v1.1', tag_message: 'Security release' }],
  );
  assert.equal((await findTag('v1.1')).message, 'Security release');
  const notes = (await owner.get(discussions)).body.flatMap((found: { notes: object[] }) => found.notes);
  const texts = notes.filter(({ system }: { system: boolean }) => system).map(({ body }: { body: string }) => body);
  assert.deepEqual(
    texts,
    ['v1.0', 'v1.1'].map(
      (name) => `tagged commit ${commit.id} to [\`${name}\`](/${project.path_with_namespace}/-/tags/${name})`,
    ),
  );
});

test('/tag needs the right to push, a name, and a tag that does not exist', async () => {
  assert.deepEqual(await comment('/tag v2.0', reporter), [202, 'Could not apply tag command.']);
  assert.deepEqual(await findTag('v2.0'), { message: '404 Tag Not Found' });
  assert.deepEqual(await comment('/tag'), [400, '400 Bad request - Failed to apply commands.']);
  await expectSuccess(owner.post(`${project.repository}/tags`, { tag_name: 'v3.0', ref: 'main', message: 'Old' }));
  assert.deepEqual(await comment('/tag v3.0 New'), [202, 'Tagged this commit to v3.0 with "New".']);
  assert.equal((await findTag('v3.0')).message, 'Old');
  assert.deepEqual(await comment('/close\n```\n/tag v4.0\n```'), [201, '/close\n```\n/tag v4.0\n```']);
  assert.deepEqual(await findTag('v4.0'), { message: '404 Tag Not Found' });
});
