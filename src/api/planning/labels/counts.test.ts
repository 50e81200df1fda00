import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '../../../../test/world.ts';

const { newGroup, newProject, server } = await world();

test('a list with counts says of each label what bears it and the caller may see', async () => {
  const group = await newGroup({ with: ['guest'] });
  const [project, other] = [await newProject({ in: group }), await newProject({ in: group })];
  const { owner, guest } = group;
  const label = (await owner.post(`${group.at}/labels`, { name: 'seen', color: 'red' })).body;
  await owner.post(`${project.at}/labels`, { name: 'unused', color: 'red' });
  const issues = [
    await owner.post(`${project.at}/issues`, { title: 'Open' }),
    await owner.post(`${other.at}/issues`, { title: 'Elsewhere' }),
    await owner.post(`${other.at}/issues`, { title: 'Closed' }),
    await owner.post(`${project.at}/issues`, { title: 'Hidden', confidential: true }),
  ].map(({ body }) => ({ issue_id: body.id as number, label_id: label.id }));
  await server.rooms.database.transaction(async (tx) => {
    await tx.insertInto('issue_labels').values(issues).execute();
    await tx.updateTable('issues').set({ state: 'closed' }).where('id', '=', issues[2]!.issue_id).execute();
  });
  const counts = async (who: Caller, path: string) => {
    const { body } = await who.get(path, { with_counts: true });
    return body.map((row: Record<string, unknown>) => [
      row.name,
      row.open_issues_count,
      row.closed_issues_count,
      row.open_merge_requests_count,
    ]);
  };
  assert.deepEqual(await counts(owner, `${project.at}/labels`), [
    ['seen', 3, 1, 0],
    ['unused', 0, 0, 0],
  ]);
  assert.deepEqual(await counts(guest, `${group.at}/labels`), [['seen', 2, 1, 0]]);
  const { body } = await owner.get(`${group.at}/labels`);
  assert.equal('open_issues_count' in body[0], false);
});
