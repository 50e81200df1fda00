import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

const { group, owner, planner, reporter, maintainer, newProject, server } = await world({
  group: { with: ['planner', 'reporter', 'maintainer'] },
});
const epics = `${group.at}/epics`;
const createEpic = async (params = {}) => (await expectSuccess(owner.post(epics, { title: 'Big', ...params }))).body;

test('Owners and Planners delete an epic, other roles do not, and its iid is not reused', async () => {
  const [one, two] = [await createEpic(), await createEpic()];
  for (const by of [reporter, maintainer]) assert.equal((await by.delete(`${epics}/${one.iid}`)).status, 403);
  assert.equal((await owner.delete(`${epics}/${one.iid}`)).status, 204);
  assert.equal((await planner.delete(`${epics}/${two.iid}`)).status, 204);
  const gone = await owner.delete(`${epics}/${two.iid}`);
  assert.deepEqual([gone.status, gone.body], [404, { message: '404 Not found' }]);
  assert.equal((await createEpic()).iid, two.iid + 1);
});

test('deleting an epic keeps its issues, any number of them', async () => {
  const project = await newProject({ in: group });
  const epic = await createEpic();
  const { body } = await expectSuccess(owner.post(`${project.at}/issues`, { title: 'T', epic_id: epic.id }));
  const { database } = server.services;
  const { id: _id, ...like } = await database.reader
    .selectFrom('issues')
    .selectAll()
    .where('id', '=', body.id)
    .executeTakeFirstOrThrow();
  await database.transaction(async (tx) => {
    const rows = Array.from({ length: 600 }, (_, index) => ({ ...like, iid: index + 2 }));
    for (let from = 0; from < rows.length; from += 200) {
      const made = await tx
        .insertInto('issues')
        .values(rows.slice(from, from + 200))
        .returning('id')
        .execute();
      const related = made.map(({ id }) => ({ issue_id: id, epic_id: epic.id, relative_position: id }));
      await tx.insertInto('epic_issues').values(related).execute();
    }
  });
  assert.equal((await owner.delete(`${epics}/${epic.iid}`)).status, 204);
  const { headers } = await owner.get(`${project.at}/issues?epic_id=None`);
  assert.equal(headers['x-total'], '601');
  assert.equal((await owner.get(`${project.at}/issues/${body.iid}`)).body.epic, null);
});
