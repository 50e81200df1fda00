import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { epics } from './epics.ts';
import { createTestImport } from './fixtures.testing.ts';
import { issues } from './issues.ts';
import { iterations, milestones } from './planning.ts';

// Milestones, iterations and epics of groups.

const here = await world();
const TIMES = { created_at: '2020-01-02T03:04:05.000Z', updated_at: '2020-02-02T00:00:00.000Z' };
const STRANGER = { id: 72, username: 'grace', name: 'Grace' };

async function importing() {
  const group = await here.newGroup();
  return { group, owner: group.owner, of: await createTestImport(here, group.owner, group) };
}

/** Returns these fields of a serialized object. */
const some = (shown: Record<string, unknown>, like: object) =>
  Object.fromEntries(Object.keys(like).map((name) => [name, shown[name]]));

const milestone = { id: 4, iid: 6, title: 'One', description: 'What', state: 'closed', ...TIMES };

test('imports all fields of a milestone and continues after its iid', async () => {
  const { group, owner, of } = await importing();
  const dates = { start_date: '2020-01-01', due_date: '2020-01-31' };
  assert.deepEqual(
    await of.importElements(milestones, [
      { ...milestone, ...dates },
      { ...milestone, id: 5, title: 'Two' },
    ]),
    ['invalid'],
  );
  const [shown] = (await owner.get(`${group.at}/milestones`)).body;
  const { id: _, ...expected } = { ...milestone, ...dates };
  assert.deepEqual(some(shown, expected), expected);
  assert.equal((await expectSuccess(owner.post(`${group.at}/milestones`, { title: 'Next' }))).body.iid, 7);
});

test('uses the milestone of an ancestor group, and fails one that ends before it starts', async () => {
  const { group, owner, of } = await importing();
  await of.importElements(milestones, [milestone]);
  const project = await here.newProject({ in: group });
  const into = await createTestImport(here, owner, project);
  const backwards = { ...milestone, id: 8, title: 'Back', start_date: '2020-02-01', due_date: '2020-01-01' };
  assert.deepEqual(await into.importElements(milestones, [milestone, backwards]), ['invalid']);
  assert.deepEqual((await owner.get(`${project.at}/milestones`)).body, []);
});

test('imports the iterations of all cadences into one cadence, with their iids', async () => {
  const { group, owner, of } = await importing();
  const of_ = (iid: number, start_date: string, due_date: string, title: string | null = null) => ({
    ...{ id: 100 + iid, iid, title, description: null, state: 3, start_date, due_date },
    ...TIMES,
  });
  const elements = [
    of_(5, '2019-01-01', '2019-01-14', 'First'),
    of_(2, '2019-01-15', '2019-01-28'),
    of_(3, '2019-01-20', '2019-02-28'),
  ];
  assert.deepEqual(await of.importElements(iterations, elements), ['invalid']);
  const { body } = await owner.get(`${group.at}/iterations`);
  const shown = body.map((one: Record<string, unknown>) => [
    one.iid,
    one.title,
    one.start_date,
    one.due_date,
    one.created_at,
  ]);
  assert.deepEqual(shown, [
    [5, 'First', '2019-01-01', '2019-01-14', TIMES.created_at],
    [2, null, '2019-01-15', '2019-01-28', TIMES.created_at],
  ]);
  const cadences = (await owner.get(`${group.at}/iteration_cadences`)).body;
  assert.deepEqual(
    cadences.map((one: Record<string, unknown>) => [one.title, one.automatic]),
    [['Imported iterations', false]],
  );
  const next = { start_date: '2031-01-20', due_date: '2031-02-28' };
  assert.equal((await expectSuccess(owner.post(`${group.at}/iterations`, next))).body.iid, 6);
});

const epic = (id: number, more: Readonly<Record<string, unknown>> = {}) => ({
  ...{ id, iid: id - 100, title: `Epic ${id}`, description: 'What', state: 'opened', author: STRANGER, labels: [] },
  ...{ ...TIMES, ...more },
});

test('imports all fields of an epic without notifications', async () => {
  const { group, owner, of } = await importing();
  const dates = { start_date_is_fixed: true, start_date_fixed: '2020-01-01', due_date_fixed: '2020-12-31' };
  const closed = {
    state: 'closed',
    closed_at: '2020-02-01T00:00:00.000Z',
    confidential: true,
    labels: ['new'],
    color: '#112233',
  };
  assert.deepEqual(await of.importElements(epics, [epic(107, { ...dates, ...closed })]), []);
  const { body: shown } = await owner.get(`${group.at}/epics/7`);
  const expected = {
    iid: 7,
    title: 'Epic 107',
    ...dates,
    ...closed,
    ...TIMES,
    imported: true,
    imported_from: 'gitlab_migration',
  };
  assert.deepEqual(some(shown, expected), expected);
  assert.deepEqual([shown.author.id, shown.description], [owner.id, '*Created by: Grace (@grace)*\n\nWhat']);
  assert.equal((await expectSuccess(owner.post(`${group.at}/epics`, { title: 'Next' }))).body.iid, 8);
  assert.deepEqual((await owner.get(`${group.at}/epics/${shown.id}/notes`)).body, []);
});

test('sets the parent of an epic in either order; a parent that is not imported is ignored', async () => {
  const { group, owner, of } = await importing();
  const elements = [
    epic(101, { parent_id: 103 }),
    epic(102, { parent_id: 999 }),
    epic(103),
    epic(104, { parent_id: 103 }),
  ];
  assert.deepEqual(await of.importElements(epics, elements), []);
  const shown = async (iid: number) => (await owner.get(`${group.at}/epics/${iid}`)).body;
  const { id } = await shown(3);
  const parents = await Promise.all([1, 2, 3, 4].map(async (iid) => (await shown(iid)).parent_id));
  assert.deepEqual(parents, [id, null, null, id]);
  assert.equal((await shown(1)).updated_at, TIMES.updated_at);
});

test('adds an issue to its imported epic, but no public issue to a confidential epic', async () => {
  const { group, owner, of } = await importing();
  await of.importElements(epics, [epic(101), epic(102, { confidential: true })]);
  const project = await here.newProject({ in: group });
  const into = await createTestImport(here, owner, project);
  await here.server.services.database.transaction((tx) =>
    tx
      .updateTable('bulk_import_objects')
      .set({ bulk_import_id: into.importId })
      .where('bulk_import_id', '=', of.importId)
      .execute(),
  );
  const issue = (iid: number, epicId: number) => epic(200 + iid, { iid, epic: { id: epicId } });
  assert.deepEqual(await into.importElements(issues, [issue(1, 101), issue(2, 102), issue(3, 555), issue(4, 101)]), []);
  const inEpic = (await owner.get(`${group.at}/epics/1/issues`)).body;
  assert.deepEqual(inEpic.map(({ iid }: { iid: number }) => iid).sort(), [1, 4]);
  assert.deepEqual((await owner.get(`${group.at}/epics/2/issues`)).body, []);
  assert.deepEqual((await owner.get(`${project.at}/issues/1/notes`)).body, []);
});
