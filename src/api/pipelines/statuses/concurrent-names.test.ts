import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

// Two hundred at once for one commit, of one server or of two (contract/runners.md §4.8).

const MANY = 200;

test('concurrent requests with many names create statuses of one pipeline, or are rejected while it is locked', async () => {
  const { project } = await world({ project: { readme: true } });
  const { owner, at } = project;
  const sha = await project.commit({ 'a.txt': 'a' });
  const names = Array.from({ length: MANY }, (_, index) => `check ${index}`);
  const answers = await Promise.all(
    names.map((name) => owner.post(`${at}/statuses/${sha}`, { name, state: 'success' })),
  );
  const kept = names.filter((_, index) => answers[index]!.status === 201);
  assert.ok(kept.length > 0);
  for (const { status, body } of answers.filter(({ status }) => status !== 201)) {
    assert.deepEqual([status, body], [409, { message: 'Another update to this commit status is in progress' }]);
  }
  const there: string[] = [];
  for (const page of [1, 2]) {
    const { body } = await owner.get(`${project.repository}/commits/${sha}/statuses`, { per_page: 100, page });
    there.push(...body.map(({ name }: { name: string }) => name));
  }
  assert.deepEqual(there.sort(), kept.sort());
  const pipelines = (await owner.get(`${at}/pipelines`, { sha })).body;
  assert.deepEqual(
    pipelines.map(({ source, status }: Record<string, string>) => [source, status]),
    [['external', 'success']],
  );
});
