import assert from 'node:assert/strict';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { commitFileNamed } from '#git/objects/bombs.testing.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { world } from '#test/support/world.ts';
import { getRepository } from '../repository.ts';

const { clock, runJobs } = await world();

/** Runs the summary jobs. */
async function summarized(): Promise<void> {
  clock.advance(3);
  await runJobs();
}

async function rowOf(projectId: number) {
  const { server } = await world();
  return server.services.database.reader
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch', 'summary_version', 'readme', 'commit_count', 'size'])
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
}

test('lists use the summary in the row and do not read the repository', async () => {
  const { project, owner, server } = await world({ project: {} });
  await project.commit({ 'ReadMe.rst': 'a' });
  await project.commit({ 'b.txt': 'b' });
  await summarized();
  const row = await rowOf(project.id);
  assert.deepEqual([row.readme, row.commit_count], ['ReadMe.rst', 2]);
  assert.ok((row.size ?? 0) > 100);
  await rm(getRepository(server.services.git, row).directory, { recursive: true });
  const [listed] = (await owner.get(`/users/${owner.id}/projects`)).body;
  assert.equal(listed.readme_url, `${project.web_url}/-/blob/main/ReadMe.rst`);
});

test('a list shows the readme of the last commit, despite an old summary', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await summarized();
  const shown = async () => (await owner.get(`/users/${owner.id}/projects`)).body[0].readme_url;
  const file = `${project.repository}/files/README.md`;
  assert.equal((await owner.delete(file, { branch: 'main', commit_message: 'x' })).status, 204);
  assert.equal(await shown(), null);
  await project.commit({ README: 'a' });
  assert.equal(await shown(), `${project.web_url}/-/blob/main/README`);
  await summarized();
  assert.equal(await shown(), `${project.web_url}/-/blob/main/README`);
});

test('changing the default branch invalidates the summary', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await owner.post(`${project.repository}/branches`, { branch: 'next', ref: 'main' });
  await project.commit({ 'more.txt': 'x' });
  await summarized();
  assert.equal((await rowOf(project.id)).commit_count, 2);
  const changed = await owner.put(project.at, { default_branch: 'next' });
  assert.equal(changed.body.readme_url, `${project.web_url}/-/blob/next/README.md`);
  await summarized();
  assert.equal((await rowOf(project.id)).commit_count, 1);
});

test('updates missed summaries daily', async () => {
  const { project, server } = await world({ project: { readme: true } });
  await summarized();
  const { summary_version } = await rowOf(project.id);
  await server.services.database.transaction((tx) =>
    tx.updateTable('repositories').set({ summary_version: null, readme: null }).execute(),
  );
  clock.advance(86_400);
  await runJobs();
  const row = await rowOf(project.id);
  assert.deepEqual([row.summary_version, row.readme], [summary_version, 'README.md']);
});

test('does not cache that a repository could not be read', async () => {
  const { project, owner, server } = await world({ project: {} });
  const commit = await project.store((git, repository) => commitFileNamed(git, repository, 'README'));
  await project.point('refs/heads/main', commit);
  const repository = getRepository(server.services.git, await rowOf(project.id));
  const treeId = (await readCommit(server.services.git, repository, commit))!.treeId;
  const object = join(repository.directory, 'objects', treeId.slice(0, 2), treeId.slice(2));
  await rename(object, `${object}.whole`);
  await writeFile(object, 'broken');
  const shown = async () => (await owner.get(`/users/${owner.id}/projects`)).body[0].readme_url;
  assert.equal(await shown(), null);
  await rename(`${object}.whole`, object);
  assert.equal(await shown(), `${project.web_url}/-/blob/main/README`);
});
