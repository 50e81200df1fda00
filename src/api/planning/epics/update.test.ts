import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

const { group, owner, planner, guest, clock, newProject } = await world({ group: { with: ['planner', 'guest'] } });
const epics = `${group.at}/epics`;
const createEpic = async (params = {}) => (await expectSuccess(owner.post(epics, { title: 'Big', ...params }))).body;
const updateEpic = async (iid: number, params: Readonly<Record<string, unknown>>) =>
  (await expectSuccess(planner.put(`${epics}/${iid}`, params))).body;
const listNotes = async (id: number) =>
  (await owner.get(`${epics}/${id}/notes?sort=asc`)).body.map(({ body }: { body: string }) => body);

test('closing and reopening an epic record one state event each', async () => {
  const { id, iid } = await createEpic();
  const closed = await updateEpic(iid, { state_event: 'close' });
  assert.deepEqual([closed.state, closed.closed_at], ['closed', closed.updated_at]);
  await updateEpic(iid, { state_event: 'close' });
  const opened = await updateEpic(iid, { state_event: 'reopen' });
  assert.deepEqual([opened.state, opened.closed_at], ['opened', null]);
  await updateEpic(iid, { labels: 'bug' });
  const { body } = await owner.get(`${epics}/${id}/resource_state_events`);
  assert.deepEqual(
    body.map((event: { state: string; user: { id: number } }) => [event.state, event.user.id]),
    [
      ['closed', planner.id],
      ['opened', planner.id],
    ],
  );
  assert.deepEqual(await listNotes(id), []);
});

test('changes of title, description and confidentiality create notes', async () => {
  const { id, iid } = await createEpic();
  clock.advance(60);
  const changed = await updateEpic(iid, { title: 'Bigger', description: 'D', confidential: true, color: 'red' });
  const { title, description, confidential, color, created_at, updated_at } = changed;
  assert.deepEqual([title, description, confidential, color], ['Bigger', 'D', true, '#FF0000']);
  assert.ok(updated_at > created_at);
  assert.deepEqual(await listNotes(id), [
    'changed title from **Big** to **Big{+ger+}**',
    'changed the description',
    'made the epic confidential',
  ]);
  clock.advance(60);
  assert.equal((await updateEpic(iid, { title: 'Bigger' })).updated_at, updated_at);
});

test('replaces, adds and removes labels, and creates unknown ones', async () => {
  const { iid } = await createEpic({ labels: ['one', 'two'] });
  assert.deepEqual((await updateEpic(iid, { add_labels: 'three', remove_labels: 'one' })).labels, ['three', 'two']);
  assert.deepEqual((await updateEpic(iid, { labels: '' })).labels, []);
  const { body } = await owner.get(`${group.at}/labels?search=three`);
  assert.equal(body[0].color, '#6699cc');
});

test('an update needs a parameter and the permission', async () => {
  const { iid } = await createEpic();
  const nothing = await planner.put(`${epics}/${iid}`, {});
  assert.equal(nothing.status, 400);
  assert.match(nothing.body.error, /^title, description, .* are missing, at least one parameter must be provided$/);
  assert.equal((await guest.put(`${epics}/${iid}`, { title: 'T' })).status, 403);
  assert.equal((await planner.put(`${epics}/987654`, { title: 'T' })).status, 404);
  const blank = await planner.put(`${epics}/${iid}`, { title: '' });
  assert.deepEqual([blank.status, blank.body], [400, { message: { title: ["can't be blank"] } }]);
  const updated_at = '2025-05-05T05:05:05.000Z';
  assert.notEqual((await updateEpic(iid, { updated_at, description: 'D' })).updated_at, updated_at);
  assert.equal((await owner.put(`${epics}/${iid}`, { updated_at })).body.updated_at, updated_at);
});

test('fixed dates override the dates of milestones', async () => {
  const project = await newProject({ in: group });
  const { id, iid } = await createEpic();
  for (const [title, start_date, due_date] of [
    ['late', '2026-03-01', '2026-04-01'],
    ['early', '2026-02-01', '2026-03-15'],
    ['open', null, null],
  ]) {
    const { body } = await expectSuccess(owner.post(`${project.at}/milestones`, { title, start_date, due_date }));
    await expectSuccess(owner.post(`${project.at}/issues`, { title: 'T', milestone_id: body.id, epic_id: id }));
  }
  const days = (epic: Record<string, unknown>) => [
    epic.start_date,
    epic.end_date,
    epic.due_date,
    epic.start_date_is_fixed,
  ];
  const inherited = ['2026-02-01', '2026-04-01', '2026-04-01', false];
  assert.deepEqual(days((await owner.get(`${epics}/${iid}`)).body), inherited);
  const fixed = await updateEpic(iid, { start_date_fixed: '2026-05-05' });
  assert.deepEqual(days(fixed), ['2026-05-05', null, null, true]);
  assert.equal(fixed.due_date_is_fixed, true);
  assert.deepEqual([fixed.start_date_from_milestones, fixed.due_date_from_milestones], ['2026-02-01', '2026-04-01']);
  const old = await updateEpic(iid, { end_date: '2026-06-06' });
  assert.deepEqual(days(old), ['2026-05-05', '2026-06-06', '2026-06-06', true]);
  assert.deepEqual(days(await updateEpic(iid, { due_date_is_fixed: false })), inherited);
  assert.deepEqual(days(await updateEpic(iid, { start_date_is_fixed: true, start_date_fixed: null })), [
    null,
    '2026-06-06',
    '2026-06-06',
    true,
  ]);
});

test('a confidential epic accepts only confidential issues and child epics', async () => {
  const project = await newProject({ in: group });
  const parent = await createEpic();
  await createEpic({ parent_id: parent.id });
  await expectSuccess(owner.post(`${project.at}/issues`, { title: 'T', epic_id: parent.id }));
  const open = await planner.put(`${epics}/${parent.iid}`, { confidential: true });
  const contains = 'Cannot make the epic confidential if it contains non-confidential';
  assert.deepEqual(
    [open.status, open.body],
    [400, { message: { confidential: [`${contains} issues`, `${contains} child epics`] } }],
  );
  const hidden = await createEpic({ confidential: true });
  const text = 'A non-confidential epic cannot be assigned to a confidential parent epic';
  const message = { confidential: [text] };
  assert.deepEqual((await owner.post(epics, { title: 'T', parent_id: hidden.id })).body, { message });
  const below = await createEpic({ confidential: true, parent_id: hidden.id });
  assert.deepEqual((await owner.put(`${epics}/${below.iid}`, { confidential: false })).body, { message });
  assert.deepEqual((await owner.put(`${epics}/${parent.iid}`, { parent_id: hidden.id })).body, { message });
});
