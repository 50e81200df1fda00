import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BATCH_SIZE } from '#events/batches.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { newIteration } from '../iteration-cadences/fixtures.testing.ts';

const { group, owner, planner, newProject, server } = await world({ group: { with: ['planner'] } });
const { database } = server.services;
const project = await newProject({ in: group });

/** Runs `action` between the first and the second transaction from now on. */
function afterFirstTransaction(action: () => Promise<unknown>): void {
  const { transaction } = database;
  let transactions = 0;
  const counted: typeof transaction = async (...args) => {
    if (++transactions === 2) {
      Object.assign(database, { transaction });
      await action();
    }
    return transaction(...args);
  };
  Object.assign(database, { transaction: counted });
}

const { body: like } = await expectSuccess(owner.post(`${project.at}/issues`, { title: 'T' }));

/** Creates one more issue than the batch size. */
async function manyIssues(): Promise<readonly number[]> {
  const row = database.reader.selectFrom('issues').selectAll().where('id', '=', like.id);
  const { id: _id, ...issue } = await row.executeTakeFirstOrThrow();
  const rows = Array.from({ length: BATCH_SIZE + 1 }, (_, index) => ({ ...issue, iid: index + 1000 }));
  return database.transaction(async (tx) => {
    const made = await tx.insertInto('issues').values(rows).returning('id').execute();
    return made.map(({ id }) => id);
  });
}

const ids = await manyIssues();
const having = (columns: { iteration_id?: number; milestone_id?: number }) =>
  database.transaction((tx) => tx.updateTable('issues').set(columns).where('id', 'in', ids).execute());

async function manyNotes(epic_id: number): Promise<void> {
  const note = { epic_id, author_id: owner.id, body: 'x', system: false, kind: null, internal: false };
  await database.transaction(async (tx) => {
    const times = { created_at: tx.now, updated_at: tx.now };
    const rows = ids.map((id) => ({ ...note, ...times, discussion_id: `${id}` }));
    await tx.insertInto('notes').values(rows).execute();
  });
}

/** Resources whose related rows exceed the batch size. */
const LARGE = {
  async 'a label'() {
    const { id } = (await expectSuccess(owner.post(`${group.at}/labels`, { name: 'large', color: 'red' }))).body;
    const rows = ids.map((issue_id) => ({ issue_id, label_id: id }));
    await database.transaction((tx) => tx.insertInto('issue_labels').values(rows).execute());
    return `labels/${id}`;
  },
  async 'a milestone'() {
    const { id } = (await expectSuccess(owner.post(`${group.at}/milestones`, { title: 'large' }))).body;
    await having({ milestone_id: id });
    return `milestones/${id}`;
  },
  async 'an iteration'() {
    const { id } = await newIteration({ ...group, owner }, '2026-02-01', '2026-02-14');
    await having({ iteration_id: id });
    return `iterations/${id}`;
  },
  async 'a cadence'() {
    const { id } = await newIteration({ ...group, owner }, '2026-03-01', '2026-03-14');
    await having({ iteration_id: id });
    const [{ id: cadence }] = (await expectSuccess(owner.get(`${group.at}/iteration_cadences`))).body;
    return `iteration_cadences/${cadence}`;
  },
  async 'an epic'() {
    const { id, iid } = (await expectSuccess(owner.post(`${group.at}/epics`, { title: 'large' }))).body;
    await manyNotes(id);
    return `epics/${iid}`;
  },
};

for (const [name, make] of Object.entries(LARGE)) {
  test(`does not delete ${name} if the caller loses access between two batches`, async () => {
    const large = `${group.at}/${await make()}`;
    afterFirstTransaction(() => expectSuccess(owner.delete(`${group.at}/members/${planner.id}`)));
    assert.equal((await planner.delete(large)).status, 404);
    await expectSuccess(owner.post(`${group.at}/members`, { user_id: planner.id, access_level: 15 }));
    assert.equal((await planner.get(large)).status, 200);
    assert.equal((await planner.delete(large)).status, 204);
    assert.equal((await planner.get(large)).status, 404);
  });
}

test('deletes the last iteration of a cadence even if another one is created during the deletion', async () => {
  const { id } = await newIteration({ ...group, owner }, '2026-04-01', '2026-04-14');
  await having({ iteration_id: id });
  afterFirstTransaction(() => newIteration({ ...group, owner }, '2026-05-01', '2026-05-14'));
  assert.equal((await owner.delete(`${group.at}/iterations/${id}`)).status, 204);
});
