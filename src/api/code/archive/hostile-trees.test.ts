import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitTree, writeDeepTree } from '#git/objects/bombs.testing.ts';
import { world } from '#test/support/world.ts';

// A tree of 20,000 nested folders: its longest path is ten times as long as the longest of a file system.

test('answers questions about deeply nested folders without a server error', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const deep = await project.store(async (git, repository) =>
    commitTree(git, repository, await writeDeepTree(git, repository, 20_000)),
  );
  const folder = Array.from({ length: 200 }, () => 'd').join('/');
  const at = project.repository;
  for (const [path, status] of [
    [`tree?ref=${deep}&path=${folder}`, 200],
    [`tree?ref=${deep}&recursive=true`, 200],
    [`commits/${deep}`, 503],
    [`commits/${deep}/diff`, 503],
    [`commits?ref_name=${deep}&path=${folder}`, 503],
    [`compare?from=${deep}&to=main&straight=true`, 503],
  ] as const) {
    assert.equal((await owner.get(`${at}/${path}`)).status, status, path.slice(0, 60));
  }
  for (const suffix of ['.tar', '.tar.gz', '.zip'])
    assert.equal((await owner.get(`${at}/archive${suffix}`, { sha: deep })).status, 422, suffix);
});
