import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

const { project, owner, server } = await world({ project: {} });
const { database } = server.services;
const MANY = 2_200;

/** Inserts an issue and `many` more before it, without gaps between their positions. */
async function createOrderedIssues(): Promise<{ iid: number }> {
  const { body } = await expectSuccess(owner.post(`${project.at}/issues`, { title: 'T' }));
  const { id: _id, ...like } = await database.reader
    .selectFrom('issues')
    .selectAll()
    .where('id', '=', body.id)
    .executeTakeFirstOrThrow();
  const rows = Array.from({ length: MANY }, (_, index) => ({ ...like, iid: index + 2, relative_position: index }));
  await database.transaction(async (tx) => {
    await tx.updateTable('issues').set({ relative_position: MANY }).where('id', '=', body.id).execute();
    for (let from = 0; from < MANY; from += 200) {
      const some = rows.slice(from, from + 200);
      await tx.insertInto('issues').values(some).execute();
    }
  });
  return body;
}

const placed = () =>
  database.reader
    .selectFrom('issues')
    .select(['iid', 'id', 'relative_position'])
    .where('project_id', '=', project.id)
    .orderBy('relative_position')
    .execute();

test('rebalances thousands of items without gaps', async () => {
  const { iid } = await createOrderedIssues();
  const [first, ...others] = await placed();
  await expectSuccess(owner.put(`${project.at}/issues/${iid}/reorder`, { move_before_id: first!.id }));
  const after = await placed();
  const behind = others.map((one) => one.iid).filter((one) => one !== iid);
  assert.deepEqual(
    after.map((one) => one.iid),
    [first!.iid, iid, ...behind],
  );
  assert.ok(after[3]!.relative_position - after[2]!.relative_position > 1000);
});
