import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '../../../../test/world.ts';

const { newProject } = await world();

// Names of branches as they are sent, and what they may start at (contract/repository.md §0 "Ref resolution", §2).

async function given() {
  const project = await newProject();
  const first = await project.commit({ 'a.txt': 'a' });
  const second = await project.commit({ 'a.txt': 'b' }, { at: 1_700_000_100 });
  const { owner, repository } = project;
  const create = (branch: string, ref = 'main') => owner.post(`${repository}/branches`, { branch, ref });
  const at = (branch: string) => `${repository}/branches/${encodeURIComponent(branch)}`;
  return { ...project, first, second, create, at };
}

test('odd names that git takes round-trip', async () => {
  const { owner, create, at } = await given();
  const names = ['@', 'a.b-c_d', 'größe/𝄞', 'x.json', 'a,b;c=d&e', 'a%2Fb', '#1', "it's", '{x}', 'a$', 'lock', 'HEAD2'];
  for (const branch of names) {
    const made = await create(branch);
    assert.deepEqual([made.status, made.body.name], [201, branch]);
    assert.equal((await owner.get(at(branch))).body.name, branch);
    assert.equal((await owner.head(at(branch))).status, 204);
    assert.equal((await owner.delete(at(branch))).status, 204);
    assert.equal((await owner.head(at(branch))).status, 404);
  }
});

test('a name that cannot be one is 400 to those who read or delete it, and simply not there for HEAD', async () => {
  const { owner, at } = await given();
  for (const branch of ['branch*', 'a b', 'a..b', '-x', 'HEAD', 'refs/heads/main', 'x.lock', 'a~1', 'main^', '/main']) {
    for (const method of ['GET', 'DELETE']) {
      const answer = await owner.send(method, at(branch));
      assert.deepEqual([answer.status, answer.body], [400, { message: 'The branch refname is invalid' }], branch);
    }
    assert.equal((await owner.head(at(branch))).status, 404, branch);
  }
});

test('a branch is found by its whole name alone', async () => {
  const { owner, create, at, second } = await given();
  await create('a/b');
  for (const branch of ['a', 'b', 'A/B', 'heads/main', second, 'mai']) {
    for (const method of ['GET', 'DELETE']) {
      const answer = await owner.send(method, at(branch));
      assert.deepEqual([answer.status, answer.body], [404, { message: '404 Branch Not Found' }], branch);
    }
  }
});

test('a branch starts at whatever leads to a commit', async () => {
  const { owner, repository, create, at, first, second } = await given();
  await owner.post(`${repository}/tags`, { tag_name: 'light', ref: first });
  await owner.post(`${repository}/tags`, { tag_name: 'noted', ref: first, message: 'Noted' });
  const starts = [
    ['main', second],
    ['HEAD', second],
    ['refs/heads/main', second],
    ['light', first],
    ['noted', first],
    ['refs/tags/noted', first],
    [first, first],
    [first.slice(0, 10), first],
    ['main~1', first],
    ['main^', first],
  ] as const;
  for (const [index, [ref, id]] of starts.entries()) {
    const made = await create(`start-${index}`, ref);
    assert.deepEqual([made.status, made.body.commit?.id], [201, id], ref);
    assert.equal((await owner.get(at(`start-${index}`))).body.commit.id, id);
  }
});

test('a start that leads to no commit is told as it was sent, and no branch is made', async () => {
  const { owner, repository, create, at, second } = await given();
  const { blob_id } = (await owner.get(`${repository}/files/a.txt`, { ref: 'main' })).body;
  for (const ref of ['nowhere', 'f'.repeat(40), blob_id, 'main:a.txt', '-main', 'main~9', 'ma in', 'Main']) {
    const refused = await create('n', ref);
    const message = `Failed to create branch 'n': invalid reference name '${ref}'`;
    assert.deepEqual([refused.status, refused.body], [400, { message }]);
    assert.equal((await owner.get(at('n'))).status, 404);
  }
  assert.equal((await owner.get(at('main'))).body.commit.id, second);
});

test('forty digits of a hash at its beginning make a name that is none', async () => {
  const { create } = await given();
  const message = 'You cannot create a branch with a SHA-1 or SHA-256 branch name.';
  for (const branch of ['a'.repeat(40), `${'0123456789'.repeat(4)}-x`, 'f'.repeat(64)]) {
    assert.deepEqual((await create(branch)).body, { message }, branch);
  }
  for (const branch of ['a'.repeat(39), `x${'a'.repeat(40)}`]) assert.equal((await create(branch)).status, 201, branch);
});

test('a name is free again for the other side of the hierarchy once its branch is gone', async () => {
  const { owner, create, at } = await given();
  await create('a');
  const conflict = await create('a/b');
  const message = "Failed to create branch 'a/b': Branch name conflicts with existing branch hierarchy.";
  assert.deepEqual([conflict.status, conflict.body], [400, { message }]);
  await owner.delete(at('a'));
  assert.equal((await create('a/b')).status, 201);
  assert.equal((await create('a')).status, 400);
  await owner.delete(at('a/b'));
  assert.equal((await create('a')).status, 201);
});

test('what is blank is empty, and parameters are looked at in their order', async () => {
  const { owner, repository } = await given();
  const refused = async (params: object) => (await owner.post(`${repository}/branches`, { ...params })).body.error;
  assert.equal(await refused({ branch: ' ', ref: '' }), 'branch is empty, ref is empty');
  assert.equal(await refused({ branch: 'x' }), 'ref is missing, ref is empty');
  assert.equal(await refused({ branch: ['x'], ref: 'main' }), 'branch is invalid');
});
