import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { getRepository } from '../repository.ts';

const { newProject } = await world();

test('ref changes cause one maintenance run, which writes the commit graph', async () => {
  const { server, root, clock, runJobs } = await world();
  const project = await newProject({ owner: root, readme: true });
  for (const branch of ['a', 'b', 'c']) {
    await root.post(`${project.repository}/branches`, { branch, ref: 'main' });
  }
  const { reader } = server.services.database;
  const waiting = await reader
    .selectFrom('background_jobs')
    .select('run_at')
    .where('kind', '=', 'maintain_repository')
    .execute();
  assert.equal(waiting.length, 1);
  const location = await reader
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow();
  const graphs = join(getRepository(server.services.git, location).directory, 'objects/info/commit-graphs');
  assert.equal(existsSync(graphs), false);
  clock.advance(31);
  await runJobs();
  assert.equal(existsSync(graphs), true);
});
