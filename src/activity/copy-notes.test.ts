import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { copyNotes } from './copy-notes.ts';

test('copies comments before system notes when there are more notes than the limit', async () => {
  const { project, owner, server } = await world({ project: {} });
  const { database } = server.services;
  const newIssue = async () => (await expectSuccess(owner.post(`${project.at}/issues`, { title: 'x' }))).body;
  const [from, to] = [await newIssue(), await newIssue()];
  const at = `${project.at}/issues/${from.iid}`;
  for (const body of ['one', 'two']) {
    await expectSuccess(owner.put(at, { title: `before ${body}` }));
    await expectSuccess(owner.post(`${at}/notes`, { body }));
  }
  const resource = ({ id }: { id: number }) => ({ type: 'Issue', id }) as const;
  await database.transaction((tx) => copyNotes(tx, resource(from), resource(to), 3));
  const { body } = await owner.get(`${project.at}/issues/${to.iid}/notes`, { sort: 'asc' });
  const bodies = body.map((note: { system: boolean; body: string }) => (note.system ? 'system' : note.body));
  assert.deepEqual(bodies, ['system', 'one', 'two']);
});
