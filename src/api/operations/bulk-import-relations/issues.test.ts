import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { createTestImport } from './fixtures.testing.ts';
import { issues } from './issues.ts';
import { labels, milestones } from './planning.ts';

const here = await world();
const group = await here.newGroup({ with: ['planner'] });
const { owner, planner } = group;

const AUTHOR = { id: 71, username: 'ada', name: 'Ada' };
const STRANGER = { id: 72, username: 'grace', name: 'Grace Hopper' };

/** Returns an issue as another server may list it, with unknown fields. */
const sourceIssue = (iid: number, more: Readonly<Record<string, unknown>> = {}) => ({
  id: 1000 + iid,
  iid,
  title: `Issue ${iid}`,
  description: `It says #${iid === 1 ? 2 : 1}`,
  state: 'opened',
  created_at: '2020-02-03T04:05:06.789Z',
  updated_at: '2021-02-03T04:05:06.789+01:00',
  labels: [],
  author: AUTHOR,
  assignees: [],
  type: ['ISSUE'],
  web_url: `https://src.test/it/-/issues/${iid}`,
  ...more,
});

const note = (id: number, body: string, more: Readonly<Record<string, unknown>> = {}) => ({
  id,
  body,
  author: AUTHOR,
  system: false,
  created_at: '2020-03-03T00:00:00.000Z',
  updated_at: '2020-03-04T00:00:00.000Z',
  ...more,
});

/** Creates a project in the group and imports into it as its owner; the author on the source is the planner here. */
async function importing() {
  const project = await here.newProject({ in: group, with: ['developer'] });
  const of = await createTestImport(here, owner, project, {
    localUserIdsBySourceId: { [AUTHOR.id]: planner.id, 73: project.developer.id },
  });
  const issueOf = async (iid: number, by: Caller = owner) => (await by.get(`${project.at}/issues/${iid}`)).body;
  return { project, of, issueOf };
}

test('imports all fields of an issue and marks it as imported', async () => {
  const { project, of, issueOf } = await importing();
  assert.deepEqual(await of.importElements(labels, [{ id: 1, name: 'bug', color: '#ff0000', description: null }]), []);
  const due = {
    id: 5,
    iid: 9,
    title: 'One',
    state: 'closed',
    due_date: '2020-03-01',
    created_at: '2019-01-01T00:00:00Z',
  };
  assert.deepEqual(await of.importElements(milestones, [due]), []);
  const source = sourceIssue(14, {
    state: 'closed',
    closed_at: '2020-05-05T00:00:00.000Z',
    closed_by: AUTHOR,
    labels: ['bug'],
    milestone: { title: 'One', iid: 9 },
    assignees: [{ id: 73, username: 'x', name: 'X' }, STRANGER],
    confidential: true,
    discussion_locked: true,
    due_date: '2020-06-07',
    weight: 3,
    issue_type: 'incident',
    description: '- [ ] a\n- [x] b',
  });
  assert.deepEqual(await of.importElements(issues, [source]), []);
  const issue = await issueOf(14);
  const expected = {
    iid: 14,
    title: 'Issue 14',
    description: '- [ ] a\n- [x] b',
    state: 'closed',
    created_at: '2020-02-03T04:05:06.789Z',
    updated_at: '2021-02-03T03:05:06.789Z',
    closed_at: '2020-05-05T00:00:00.000Z',
    labels: ['bug'],
    confidential: true,
    discussion_locked: true,
    due_date: '2020-06-07',
    weight: 3,
    issue_type: 'incident',
    task_completion_status: { count: 2, completed_count: 1 },
    user_notes_count: 0,
    imported: true,
    imported_from: 'gitlab_migration',
  };
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, issue[name]])), expected);
  assert.deepEqual([issue.author.id, issue.closed_by.id], [planner.id, planner.id]);
  assert.deepEqual(
    issue.assignees.map(({ id }: { id: number }) => id),
    [project.developer.id],
  );
  assert.deepEqual([issue.milestone.iid, issue.milestone.title, issue.milestone.state], [9, 'One', 'closed']);
});

test('continues after the highest imported iid, and fails only an issue with a used iid', async () => {
  const { project, of, issueOf } = await importing();
  assert.deepEqual(
    await of.importElements(issues, [sourceIssue(8), sourceIssue(3), { ...sourceIssue(8), id: 5 }, sourceIssue(4)]),
    ['invalid'],
  );
  assert.deepEqual([(await issueOf(8)).title, (await issueOf(4)).title], ['Issue 8', 'Issue 4']);
  assert.equal((await expectSuccess(owner.post(`${project.at}/issues`, { title: 'Next' }))).body.iid, 9);
});

test('fails only the invalid elements', async () => {
  const { of, issueOf } = await importing();
  const wrong = [
    {},
    sourceIssue(0),
    sourceIssue(2 ** 31),
    sourceIssue(2, { title: 'x'.repeat(256) }),
    sourceIssue(2, { title: ' ' }),
    sourceIssue(2, { state: 'gone' }),
    sourceIssue(2, { labels: [['a']] }),
    sourceIssue(2, { author: 'ada' }),
    sourceIssue(2, { author: { id: {}, username: 'a', name: 'b' } }),
    sourceIssue(2, { created_at: 'yesterday' }),
    sourceIssue(2, { weight: -1 }),
    sourceIssue(2, { description: 'x'.repeat(1024 * 1024 + 1) }),
    sourceIssue(2, { milestone: [] }),
  ];
  const failures = await of.importElements(issues, [...wrong, sourceIssue(2)]);
  assert.equal(failures.length, wrong.length);
  assert.equal((await issueOf(2)).title, 'Issue 2');
});

test('attributes texts of unknown authors to the importing user and names the author', async () => {
  const { project, of, issueOf } = await importing();
  const by = { author: STRANGER };
  const elements = [sourceIssue(1, by), sourceIssue(2, { ...by, description: null }), sourceIssue(3, { author: null })];
  assert.deepEqual(await of.importElements(issues, elements, () => []), []);
  const said = async (iid: number) => {
    const { author, description } = await issueOf(iid);
    return [author.id, description];
  };
  assert.deepEqual(await said(1), [owner.id, '*Created by: Grace Hopper (@grace)*\n\nIt says #2']);
  assert.deepEqual(await said(2), [owner.id, '*Created by: Grace Hopper (@grace)*\n\n']);
  assert.deepEqual(await said(3), [owner.id, 'It says #1']);
  assert.deepEqual(await of.importElements(issues, [sourceIssue(4)], () => [note(1, 'Hm', by)]), []);
  const [one] = (await owner.get(`${project.at}/issues/4/notes`)).body;
  assert.deepEqual([one.author.id, one.body], [owner.id, '*Created by: Grace Hopper (@grace)*\n\nHm']);
});

test('imports notes in order, system notes too, and counts the comments', async () => {
  const { project, of, issueOf } = await importing();
  const internal = { internal: true, created_at: '2020-03-05T00:00:00.000Z' };
  const notes = [
    note(9, 'closed', { system: true }),
    note(4, 'First', { created_at: '2020-03-03T00:00:00.001Z' }),
    note(11, 'Second', internal),
    note(12, 'Third', { confidential: true, created_at: '2020-03-06T00:00:00.000Z' }),
  ];
  assert.deepEqual(await of.importElements(issues, [sourceIssue(1)], () => notes), []);
  const { body } = await owner.get(`${project.at}/issues/1/notes`, { sort: 'asc', order_by: 'created_at' });
  const shown = body.map((one: Record<string, unknown>) => [
    one.body,
    one.system,
    one.internal,
    one.created_at,
    one.updated_at,
  ]);
  assert.deepEqual(shown, [
    ['closed', true, false, '2020-03-03T00:00:00.000Z', '2020-03-04T00:00:00.000Z'],
    ['First', false, false, '2020-03-03T00:00:00.001Z', '2020-03-04T00:00:00.000Z'],
    ['Second', false, true, '2020-03-05T00:00:00.000Z', '2020-03-04T00:00:00.000Z'],
    ['Third', false, true, '2020-03-06T00:00:00.000Z', '2020-03-04T00:00:00.000Z'],
  ]);
  assert.deepEqual([body[0].imported, body[0].imported_from], [true, 'gitlab_migration']);
  const { user_notes_count, updated_at } = await issueOf(1);
  assert.deepEqual([user_notes_count, updated_at], [3, '2021-02-03T03:05:06.789Z']);
});

test('fails only an invalid note', async () => {
  const { project, of } = await importing();
  const notes = [note(1, 'First'), note(2, ' '), { id: 3 }, note(4, 'Second')];
  assert.equal((await of.importElements(issues, [sourceIssue(1)], () => notes)).length, 2);
  const { body } = await owner.get(`${project.at}/issues/1/notes`, { sort: 'asc' });
  assert.deepEqual(
    body.map((one: { body: string }) => one.body),
    ['First', 'Second'],
  );
});

test('creates no activity, resource events, system notes or jobs for an imported issue', async () => {
  const { project, of } = await importing();
  const { reader } = here.server.services.database;
  const heard = async () => [
    (await owner.get(`${project.at}/events`)).body.length,
    (await reader.selectFrom('background_jobs').select('id').where('state', '=', 'pending').execute()).length,
  ];
  await here.runJobs();
  const before = await heard();
  const closed = sourceIssue(2, { state: 'closed', assignees: [AUTHOR], milestone: { title: 'One' } });
  await of.importElements(issues, [sourceIssue(1), closed], ({ iid }) => [note(Number(iid), `See #1 and #2`)]);
  assert.deepEqual(await heard(), before);
  const { body: steps } = await owner.get(`${project.at}/issues/2/resource_state_events`);
  const { body: notes } = await owner.get(`${project.at}/issues/2/notes`);
  assert.deepEqual([steps.length, notes.length], [0, 1]);
});

test('lists, filters and counts include imported issues', async () => {
  const { project, of } = await importing();
  await of.importElements(labels, [{ id: 1, name: 'bug', color: '#ff0000' }]);
  await of.importElements(milestones, [
    { id: 5, iid: 9, title: 'One', state: 'active', created_at: '2019-01-01T00:00:00Z' },
  ]);
  await of.importElements(issues, [
    sourceIssue(7, { title: 'Findling', labels: ['bug', 'new'], milestone: { title: 'One' }, assignees: [AUTHOR] }),
  ]);
  const plain = { title: 'Findling', labels: 'bug,new', assignee_ids: [planner.id], milestone_id: 0 };
  const own = await expectSuccess(planner.post(`${project.at}/issues`, plain));
  const filters: Record<string, unknown>[] = [
    { labels: 'bug' },
    { search: 'findl' },
    { assignee_id: planner.id },
    { author_id: planner.id },
    { state: 'opened' },
    { labels: 'new', order_by: 'relative_position', sort: 'asc' },
    { 'not[labels]': 'other' },
  ];
  for (const filter of filters) {
    const { body } = await expectSuccess(owner.get(`${project.at}/issues`, filter));
    assert.deepEqual(body.map(({ iid }: { iid: number }) => iid).sort(), [7, own.body.iid], JSON.stringify(filter));
  }
  assert.deepEqual((await owner.get(`${project.at}/issues`, { milestone: 'One' })).body.length, 1);
  const counted = (await owner.get(`${project.at}/labels`, { with_counts: true })).body;
  assert.deepEqual(
    counted.map((one: Record<string, unknown>) => [one.name, one.open_issues_count]),
    [
      ['bug', 2],
      ['new', 2],
    ],
  );
  assert.equal((await owner.get(project.at)).body.open_issues_count, 2);
});

test('assigns each iid once during two concurrent imports', async () => {
  const { project, of, issueOf } = await importing();
  const other = await createTestImport(here, owner, project, {});
  const numbers = [11, 12, 13, 14];
  await Promise.all(
    [of, other].map((one) =>
      one.importElements(
        issues,
        numbers.map((iid) => sourceIssue(iid)),
      ),
    ),
  );
  const { body } = await owner.get(`${project.at}/issues`);
  assert.deepEqual(body.map(({ iid }: { iid: number }) => iid).sort(), numbers);
  assert.equal((await issueOf(12)).title, 'Issue 12');
});
