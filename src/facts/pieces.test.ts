import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '../../test/world.ts';
import { PIECE } from './pieces.ts';

const { newProject, server } = await world();
const { database } = server.rooms;

/** So many issues of the project, as rows. */
async function newIssues(projectId: number, milestoneId: number, labelId: number, count: number): Promise<void> {
  const shared = { project_id: projectId, title: 'x', title_key: 'x', author_id: 1, state: 'opened' } as const;
  await database.transaction(async (tx) => {
    const times = { created_at: tx.now, updated_at: tx.now };
    const rows = Array.from({ length: count }, (_, index) => ({
      ...shared,
      ...times,
      iid: index + 1,
      confidential: false,
      issue_type: 'issue' as const,
      relative_position: index,
      milestone_id: milestoneId,
    }));
    const issues = await tx.insertInto('issues').values(rows).returning('id').execute();
    const ids = issues.map(({ id }) => id);
    await tx
      .insertInto('issue_labels')
      .values(ids.map((issue_id) => ({ issue_id, label_id: labelId })))
      .execute();
    const event = { milestone_id: milestoneId, action: 'add', state: 'opened', created_at: tx.now } as const;
    await tx
      .insertInto('resource_milestone_events')
      .values(ids.map((issue_id) => ({ ...event, issue_id })))
      .execute();
  });
}

/** How many acts there are while this is done. */
async function actsOf(work: () => Promise<void>): Promise<number> {
  const { transaction } = database;
  let acts = 0;
  const counted: typeof transaction = (...given) => {
    acts++;
    return transaction(...given);
  };
  Object.assign(database, { transaction: counted });
  await work();
  Object.assign(database, { transaction });
  return acts;
}

test('labels and milestones of very many issues are deleted in pieces, and nothing has them any more', async () => {
  const { id, at, owner } = await newProject();
  const label = (await owner.post(`${at}/labels`, { name: 'common', color: 'red' })).body;
  const milestone = (await owner.post(`${at}/milestones`, { title: 'large' })).body;
  await newIssues(id, milestone.id, label.id, 2 * PIECE + 1);
  const acts = await actsOf(async () => {
    assert.equal((await owner.delete(`${at}/labels/common`)).status, 204);
    assert.equal((await owner.delete(`${at}/milestones/${milestone.id}`)).status, 204);
  });
  assert.ok(acts >= 3 + 5, `${acts} acts`);
  const { reader } = database;
  const having = [
    reader.selectFrom('issues').select('id').where('milestone_id', 'is not', null),
    reader.selectFrom('resource_milestone_events').select('id').where('milestone_id', 'is not', null),
    reader.selectFrom('issue_labels').select('label_id as id'),
  ];
  assert.deepEqual(await Promise.all(having.map((rows) => rows.execute())), [[], [], []]);
  assert.equal((await owner.get(`${at}/labels/common`)).status, 404);
});
