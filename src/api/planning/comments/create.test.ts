import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

async function createCommit() {
  const here = await world({ project: { visibility: 'public', readme: true } });
  const { project, owner } = here;
  await project.commit({ 'a.txt': 'one\ntwo\n' });
  await project.commit({ 'a.txt': 'two\nthree\n' });
  const { body } = await expectSuccess(owner.get(`${project.repository}/commits/main`));
  return { ...here, at: `${project.repository}/commits/${body.id}/comments` };
}

test('a comment on an added or removed line has a position, any other comment has none', async () => {
  const { user, anonymous, at } = await createCommit();
  const stranger = await user();
  const cases = [
    [{ note: 'a' }, [null, null, null]],
    [{ note: 'b', path: 'a.txt', line: 2 }, ['a.txt', 2, 'new']],
    [{ note: 'c', path: 'a.txt', line: 1, line_type: 'old' }, ['a.txt', 1, 'old']],
    [{ note: 'd', path: 'a.txt', line: 9 }, [null, null, null]],
    [{ note: 'e', path: 'b.txt', line: 1 }, [null, null, null]],
  ] as const;
  const made = [];
  for (const [params, place] of cases) {
    const { status, body } = await stranger.post(at, params);
    assert.deepEqual([status, body.note, body.author.id], [201, params.note, stranger.id]);
    assert.deepEqual([body.path, body.line, body.line_type], place);
    made.push(body);
  }
  assert.deepEqual((await anonymous.get(at)).body, made);
  const page = await anonymous.get(at, { per_page: 2, page: 2 });
  assert.deepEqual([page.body, page.headers['x-total']], [made.slice(2, 4), '5']);
});

test('rejects invalid comments', async () => {
  const { owner, anonymous, at, project } = await createCommit();
  const unknown = `${project.repository}/commits/nowhere/comments`;
  const cases = [
    [owner.post(at, { note: ' ' }), 400, { message: `400 Bad request - Note {:note=>["can't be blank"]}` }],
    [owner.post(at), 400, { error: 'note is missing' }],
    [owner.post(at, { note: 'x', path: 'a.txt' }), 400, { error: 'line is missing' }],
    [
      owner.post(at, { note: 'x', path: 'a.txt', line: 1, line_type: 'x' }),
      400,
      { error: 'line_type does not have a valid value' },
    ],
    [anonymous.post(at, { note: 'x' }), 401, { message: '401 Unauthorized' }],
    [owner.post(unknown, { note: 'x' }), 404, { message: '404 Commit Not Found' }],
    [anonymous.get(unknown), 404, { message: '404 Commit Not Found' }],
  ] as const;
  for (const [call, status, body] of cases) assert.deepEqual([(await call).status, (await call).body], [status, body]);
  assert.deepEqual((await anonymous.get(at)).body, []);
});
