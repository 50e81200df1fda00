import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { project, developer } = await world({ project: { readme: true, with: ['developer'] } });
const MEBIBYTE = 2 ** 20;

const LONG = [
  ['branch', 1024, 'bytes'],
  ['commit_message', MEBIBYTE, 'bytes'],
  ['start_branch', 1024, 'bytes'],
  ['author_name', 255, 'characters'],
  ['author_email', 255, 'characters'],
] as const;

for (const [name, most, unit] of LONG) {
  test(`rejects a ${name} of more than ${most} ${unit} in files and commits`, async () => {
    const fields = { branch: 'main', commit_message: 'Add', [name]: 'x'.repeat(most + 1) };
    const refusal = { message: `400 Bad request - ${name} is too long (maximum is ${most} ${unit})` };
    const file = await developer.post(`${project.repository}/files/a`, { ...fields, content: '' });
    assert.deepEqual([file.status, file.body], [400, refusal]);
    const actions = [{ action: 'create', file_path: 'a', content: '' }];
    const commit = await developer.post(`${project.repository}/commits`, { ...fields, actions });
    assert.deepEqual([commit.status, commit.body], [400, refusal]);
    assert.equal((await developer.get(`${project.repository}/commits`)).body.length, 1);
  });
}

test('rejects paths that are too long and more than 10,000 actions', async () => {
  const of = async (actions: unknown) =>
    (await developer.post(`${project.repository}/commits`, { branch: 'main', commit_message: 'Add', actions })).body;
  const action = { action: 'create', file_path: 'a', content: '' };
  const paths = [action, { ...action, file_path: 'x'.repeat(4097) }];
  const longPath = '400 Bad request - actions[1][file_path] is too long (maximum is 4096 bytes)';
  assert.deepEqual(await of(paths), { message: longPath });
  const tooMany = '400 Bad request - actions is too long (maximum is 10000 elements)';
  assert.deepEqual(await of(Array.from({ length: 10_001 }, () => action)), { message: tooMany });
});

test('rejects a file URL that is longer than paths may be', async () => {
  const path = `${project.repository}/files/${'x'.repeat(4097)}`;
  const { status, body } = await developer.get(path, { ref: 'main' });
  assert.deepEqual([status, body], [400, { error: 'file_path is too long (maximum is 4096 bytes)' }]);
});
