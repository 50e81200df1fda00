import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';

const createBranch = async (caller: Caller, url: string, branch: string, ref = 'main') => {
  const answer = await caller.post(`${url}/branches`, { branch, ref });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};

const branchNames = (answer: { body: { name: string }[] }) => answer.body.map(({ name }) => name);

test('lists branches by name and filters them by search operators and RE2', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  for (const branch of ['rel-1', 'Rel', 'feature/rel', 'release1', 'zz'])
    await createBranch(owner, project.repository, branch);
  const search = async (params: object) =>
    branchNames(await owner.get(`${project.repository}/branches`, { ...params }));
  assert.deepEqual(await search({}), ['Rel', 'feature/rel', 'main', 'rel-1', 'release1', 'zz']);
  assert.deepEqual(await search({ search: 'rel' }), ['Rel', 'feature/rel', 'rel-1', 'release1']);
  assert.deepEqual(await search({ search: '^rel' }), ['Rel', 'rel-1', 'release1']);
  assert.deepEqual(await search({ search: 'rel$' }), ['Rel', 'feature/rel']);
  assert.deepEqual(await search({ search: '^rel*1$' }), ['rel-1', 'release1']);
  assert.deepEqual(await search({ regex: '^rel|zz' }), ['rel-1', 'release1', 'zz']);
  assert.deepEqual(await search({ regex: '^[^r]', search: 'e' }), ['Rel', 'feature/rel']);
  const hostile = await owner.get(`${project.repository}/branches`, { regex: '(a+)+$' });
  assert.equal(hostile.status, 200);
  for (const regex of ['(', '(?=a)', '(a)\\1']) {
    const answer = await owner.get(`${project.repository}/branches`, { regex });
    assert.deepEqual([answer.status, answer.body], [400, { message: 'Regex is invalid' }], regex);
  }
  const sorted = await owner.get(`${project.repository}/branches`, { sort: 'name_desc' });
  assert.deepEqual(sorted.body, { error: 'sort does not have a valid value' });
  const page = await owner.get(`${project.repository}/branches`, { per_page: 2, page: 2 });
  assert.deepEqual(
    [branchNames(page), page.headers['x-total'], page.headers['x-next-page']],
    [['main', 'rel-1'], '6', '3'],
  );
});

test('compares If-Unmodified-Since with the authored date and ignores invalid dates', async () => {
  const { project, owner } = await world({ project: {} });
  await project.commit({ a: 'a' }, { at: 1_700_000_000 });
  const remove = async (branch: string, since: string) => {
    await owner.post(`${project.repository}/branches`, { branch, ref: 'main' });
    return (await owner.delete(`${project.repository}/branches/${branch}`, {}, { 'If-Unmodified-Since': since }))
      .status;
  };
  assert.equal(await remove('1', 'Tue, 14 Nov 2023 22:13:19 GMT'), 412);
  assert.equal(await remove('2', '2023-11-14T22:13:19Z'), 412);
  assert.equal(await remove('3', 'Tue, 14 Nov 2023 22:13:20 GMT'), 204);
  assert.equal(await remove('4', '2023-11-14T23:13:20+01:00'), 204);
  assert.equal(await remove('5', 'yesterday'), 204);
  const { body } = await owner.get(`${project.repository}/branches`);
  assert.deepEqual(
    body.map(({ name }: { name: string }) => name),
    ['1', '2', 'main'],
  );
});

test('lists an exact match first and treats other characters literally', async () => {
  const { project, owner } = await world({ project: {} });
  await project.commit({ a: 'a' });
  for (const branch of ['a-rc', 'RC', 'x.rc', 'z+rc'])
    await owner.post(`${project.repository}/branches`, { branch, ref: 'main' });
  const search = async (term: string) =>
    (await owner.get(`${project.repository}/branches`, { search: term })).body.map(
      ({ name }: { name: string }) => name,
    );
  assert.deepEqual(await search('Z+rc'), ['z+rc']);
  assert.deepEqual(await search('rc'), ['RC', 'a-rc', 'x.rc', 'z+rc']);
  assert.deepEqual(await search('A-RC'), ['a-rc']);
  assert.deepEqual(await search('.rc'), ['x.rc']);
  assert.deepEqual(await search('[ax]'), []);
  await owner.post(`${project.repository}/branches`, { branch: 'c', ref: 'main' });
  assert.deepEqual(await search('c'), ['c', 'RC', 'a-rc', 'x.rc', 'z+rc']);
  assert.deepEqual(await search('C'), ['c', 'RC', 'a-rc', 'x.rc', 'z+rc']);
  assert.deepEqual(await search('*c'), ['RC', 'a-rc', 'c', 'x.rc', 'z+rc']);
  for (const sort of ['name_asc', 'updated_asc', 'updated_desc']) {
    const { body } = await owner.get(`${project.repository}/branches`, { search: 'c', sort });
    assert.equal(body[0].name, 'c', sort);
  }
  const last = await owner.get(`${project.repository}/branches`, { search: 'c', per_page: 1, page: 2 });
  assert.deepEqual([last.body[0].name, last.headers['x-total']], ['RC', '5']);
});
