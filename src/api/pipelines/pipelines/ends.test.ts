import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobRow, pipelineRow } from '../../../../test/jobs.ts';
import { done, type Project, world } from '../../../../test/world.ts';
import type { FactName, Facts } from '../../../facts/facts.ts';
import { PIECE } from '../../../facts/pieces.ts';
import { NOBODY } from '../../../identity/caller.ts';

const here = await world();
const { newProject, root, server, work } = here;
const { database, acting } = server.rooms;

/** A pipeline of one more job than a piece takes. */
async function large(project: Project): Promise<void> {
  const pipeline_id = await pipelineRow(here, project);
  const first = await jobRow(here, project, { pipeline_id, status: 'success' });
  await database.transaction(async (tx) => {
    const { id: _id, ...like } = await tx
      .selectFrom('jobs')
      .selectAll()
      .where('id', '=', first)
      .executeTakeFirstOrThrow();
    const rows = Array.from({ length: PIECE }, (_, index) => ({ ...like, name: `job ${index}` }));
    for (let from = 0; from < PIECE; from += 20)
      await tx
        .insertInto('jobs')
        .values(rows.slice(from, from + 20))
        .execute();
  });
}

const rowsOf = async (table: 'jobs' | 'pipelines', { id }: Project) =>
  database.reader.selectFrom(table).select('user_id').where('project_id', '=', id).execute();
const ahead = <Name extends FactName>(name: Name, payload: Facts[Name]) =>
  acting(NOBODY, (act) => act.ahead(name, payload));

test('the jobs of a project that goes are removed piece by piece, and then its pipelines', async () => {
  const project = await newProject();
  await large(project);
  const fact = { projectId: project.id, storage: '', diskPath: '' };
  assert.equal(await ahead('project-destroyed', fact), true);
  assert.deepEqual([(await rowsOf('jobs', project)).length, (await rowsOf('pipelines', project)).length], [1, 1]);
  while (await ahead('project-destroyed', fact));
  assert.deepEqual([await rowsOf('jobs', project), await rowsOf('pipelines', project)], [[], []]);
});

test('what a deleted user has run becomes nobody’s piece by piece, and stays', async () => {
  const group = await here.newGroup();
  const runs = await group.add('developer');
  const project = await newProject({ in: group });
  await large({ ...project, owner: runs } as Project);
  const named = async () => (await rowsOf('jobs', project)).filter(({ user_id }) => user_id !== null).length;
  assert.equal(await ahead('user-deleted', { userId: runs.id, ghostUserId: root.id, hard: false }), true);
  assert.equal(await named(), 1);
  await done(root.delete(`/users/${runs.id}`));
  await work();
  assert.equal(await named(), 0);
  assert.deepEqual(await rowsOf('pipelines', project), [{ user_id: null }]);
  assert.equal((await rowsOf('jobs', project)).length, PIECE + 1);
});
