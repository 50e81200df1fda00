import assert from 'node:assert/strict';
import { test } from 'node:test';
import { occupyWalkLimiter } from '#git/fixtures.testing.ts';
import { world } from '#test/support/world.ts';

test('returns the merge base of two and more refs, or why there is none', async () => {
  const { project, owner } = await world({ project: {} });
  const root = await project.commit({ a: '1' });
  const base = await project.commit({ a: '2' });
  await project.commit({ b: '1' }, { branch: 'side', parent: base });
  await project.commit({ c: '1' }, { branch: 'third', parent: root });
  await project.commit({ a: '3' });
  await project.commit({ d: '1' }, { branch: 'orphan', parent: null });
  const mergeBase = (...refs: string[]) => owner.get(`${project.repository}/merge_base`, { refs });
  assert.equal((await mergeBase('main', 'side')).body.id, base);
  assert.equal((await mergeBase('third', 'main', 'side')).body.id, root);
  assert.equal((await mergeBase('main', 'main~1')).body.id, base);
  assert.equal((await mergeBase('side~1', base)).body.id, base);
  const cases = [
    [['main'], 400, { message: 'Provide at least 2 refs' }],
    [['main', 'x'], 400, { message: 'Could not find ref: x' }],
    [['x', 'main', 'y'], 400, { message: 'Could not find refs: x, y' }],
    [['main', 'orphan'], 404, { message: '404 Merge Base Not Found' }],
  ] as const;
  for (const [refs, status, body] of cases) {
    const answer = await mergeBase(...refs);
    assert.deepEqual([answer.status, answer.body], [status, body]);
  }
  const absent = await owner.get(`${project.repository}/merge_base`);
  assert.deepEqual([absent.status, absent.body], [400, { error: 'refs is missing' }]);
  const joined = await owner.get(`${project.repository}/merge_base`, { refs: 'main, side' });
  assert.equal(joined.body.id, base);
  const many = await owner.get(`${project.repository}/merge_base`, { refs: 'main,'.repeat(1001) });
  assert.equal(many.status, 400);
});

test('queues concurrent history requests and rejects them when the queue is full', async (t) => {
  const { project, owner, server } = await world({ project: { readme: true } });
  const id = await project.commit({ a: '1' }, { branch: 'side' });
  occupyWalkLimiter(server.services.git, t);
  for (const path of ['merge_base?refs=main,side', `commits/${id}/refs`, 'branches']) {
    const { status, headers } = await owner.get(`${project.repository}/${path}`);
    assert.deepEqual([status, headers['retry-after']], [503, '10'], path);
  }
});
