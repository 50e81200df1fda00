import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ISSUES, issuableConditions } from '#api/planning/issuables/index.ts';
import { statements } from '#test/support/statement-watch.ts';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';

type Params = Readonly<Record<string, unknown>>;

const here = await world({ project: { with: ['guest', 'planner'], visibility: 'public' } });
const { project, owner, guest, planner, newGroup, newProject, anonymous, user } = here;
const issues = `${project.at}/issues`;

const createIssue = async (title: string, params: Params = {}) =>
  (await expectSuccess(owner.post(issues, { title, ...params }))).body as { id: number; iid: number };
const listTitles = async (by: Caller, params: Params = {}, path = issues) =>
  (await expectSuccess(by.get(path, { sort: 'asc', ...params }))).body.map((issue: { title: string }) => issue.title);

/** Returns the SQL statements of an indexed search in the project. */
async function listSearchStatements(id: number, search: string): Promise<string[]> {
  const { reader } = here.server.services.database;
  const conditions = issuableConditions(reader, { tables: ISSUES, project: { id, namespace_id: 0 } }, { search });
  return conditions.flatMap(({ ids }) => (ids === undefined ? [] : [ids.compile(reader).sql]));
}

const negate = (not: Params) => Object.fromEntries(Object.entries(not).map(([name, value]) => [`not[${name}]`, value]));

const bug = await createIssue('bug', {
  labels: 'a,b',
  weight: 3,
  due_date: '2026-01-01',
  description: 'A loop in Main',
});
await createIssue('chore', { labels: 'b', assignee_ids: [guest.id] });
const secret = await createIssue('secret', {
  confidential: true,
  weight: 1,
  due_date: '2027-01-01',
  issue_type: 'incident',
});
await createIssue('Asked', { description: 'main\nquestion' });
here.clock.advance(1);
await expectSuccess(owner.put(`${issues}/${bug.iid}`, { state_event: 'close' }));

test('filters by scope, and by the emoji that the caller awarded, in lists and statistics', async () => {
  const holder = await newGroup();
  const within = await newProject({ in: holder, with: ['reporter'] });
  const { owner: author, reporter } = within;
  const created = [];
  for (const title of ['one', 'two', 'three']) {
    const { body } = await expectSuccess(author.post(`${within.at}/issues`, { title, assignee_ids: [author.id] }));
    created.push(body);
  }
  const [one, two] = created;
  await expectSuccess(reporter.put(`${within.at}/issues/${two.iid}`, { assignee_ids: [reporter.id] }));
  await expectSuccess(reporter.post(`${within.at}/issues/${one.iid}/award_emoji`, { name: 'heart' }));
  const rows: [Params, string[]][] = [
    [{ scope: 'assigned_to_me' }, ['two']],
    [{ scope: 'assigned-to-me' }, ['two']],
    [{ scope: 'created_by_me' }, []],
    [{ scope: 'all' }, ['one', 'two', 'three']],
    [{ my_reaction_emoji: 'heart' }, ['one']],
    [{ my_reaction_emoji: 'star' }, []],
    [{ my_reaction_emoji: 'Any' }, ['one']],
    [{ my_reaction_emoji: 'None' }, ['two', 'three']],
    [negate({ my_reaction_emoji: 'heart' }), ['two', 'three']],
  ];
  for (const at of [holder.at, within.at]) {
    for (const [params, titles] of rows) {
      assert.deepEqual(await listTitles(reporter, params, `${at}/issues`), titles, JSON.stringify(params));
      const { body } = await expectSuccess(reporter.get(`${at}/issues_statistics`, params));
      assert.equal(body.statistics.counts.all, titles.length, `${at} ${JSON.stringify(params)}`);
    }
  }
  assert.deepEqual(await listTitles(reporter, { scope: 'assigned-to-me' }, '/issues'), ['two']);
});

test('confidential issues are hidden and not counted without permission', async () => {
  const all = ['bug', 'chore', 'secret', 'Asked'];
  assert.deepEqual(await listTitles(planner), all);
  const seen = ['bug', 'chore', 'Asked'];
  for (const caller of [guest, anonymous]) {
    assert.deepEqual(await listTitles(caller), seen);
    assert.equal((await caller.get(issues, { per_page: 1 })).headers['x-total'], '3');
    const { body } = await caller.get(`${project.at}/issues_statistics`, { state: 'opened' });
    assert.deepEqual(body, { statistics: { counts: { all: 3, closed: 1, opened: 2 } } });
  }
  const mine = await expectSuccess(guest.post(issues, { title: 'mine', confidential: true }));
  assert.deepEqual(await listTitles(guest), [...seen, 'mine']);
  await expectSuccess(owner.delete(`${issues}/${mine.body.iid}`));
});

test('each filter selects matching issues', async () => {
  const found: [Params, string[]][] = [
    [{ state: 'closed' }, ['bug']],
    [{ state: 'opened' }, ['chore', 'secret', 'Asked']],
    [{ labels: 'b' }, ['bug', 'chore']],
    [{ labels: ['a', 'b'] }, ['bug']],
    [{ labels: 'None' }, ['secret', 'Asked']],
    [{ labels: 'Any' }, ['bug', 'chore']],
    [{ labels: 'nowhere' }, []],
    [{ iids: [bug.iid, secret.iid] }, ['bug', 'secret']],
    [{ assignee_id: guest.id }, ['chore']],
    [{ assignee_id: 'None' }, ['bug', 'secret', 'Asked']],
    [{ assignee_username: guest.username.toUpperCase() }, ['chore']],
    [{ author_username: owner.username }, ['bug', 'chore', 'secret', 'Asked']],
    [{ author_id: guest.id }, []],
    [{ confidential: true }, ['secret']],
    [{ weight: 3 }, ['bug']],
    [{ weight: 'None' }, ['chore', 'Asked']],
    [{ issue_type: 'incident' }, ['secret']],
    [{ issue_type: 'requirement' }, []],
    [{ issue_type: 'ticket' }, []],
    [{ health_status: 'none' }, ['bug', 'chore', 'secret', 'Asked']],
    [{ health_status: 'any' }, []],
    [{ health_status: 'on_track' }, []],
    [{ closed_by_id: owner.id }, ['bug']],
    [{ closed_by_id: guest.id }, []],
    [{ scope: 'created_by_me' }, []],
    [{ scope: 'created-by-me' }, []],
    [{ scope: 'assigned_to_me' }, []],
    [{ due_date: '' }, ['bug', 'chore', 'secret', 'Asked']],
    [{ due_date: '0' }, ['chore', 'Asked']],
    [{ due_date: 'any' }, ['bug', 'secret']],
    [{ due_date: 'overdue' }, ['bug']],
    [{ milestone: 'None' }, ['bug', 'chore', 'secret', 'Asked']],
    [{ milestone_id: 'Upcoming' }, []],
    [{ epic_id: 'Any' }, []],
    [{ epic_id: 'None', iteration_id: 'None', weight: 1 }, ['secret']],
    [{ created_after: '2030-01-01' }, []],
    [{ updated_before: '2030-01-01', weight: 'Any' }, ['bug', 'secret']],
  ];
  for (const [params, expected] of found)
    assert.deepEqual(await listTitles(planner, params), expected, JSON.stringify(params));
});

test('a blank name has no effect in filters and negated filters', async () => {
  const all = ['bug', 'chore', 'secret', 'Asked'];
  const blank = { milestone: '', author_username: '', assignee_username: '', iteration_title: '', labels: '' };
  assert.deepEqual(await listTitles(planner, { ...blank, ...negate(blank) }), all);
  assert.deepEqual(await listTitles(planner, { author_username: '', author_id: owner.id }), all);
});

test('a negated filter excludes matching issues and keeps issues without a value', async () => {
  const found: [Params, string[]][] = [
    [{ labels: ['a'] }, ['chore', 'secret', 'Asked']],
    [{ weight: 3 }, ['chore', 'secret', 'Asked']],
    [{ iids: [bug.iid] }, ['chore', 'secret', 'Asked']],
    [{ assignee_id: guest.id }, ['bug', 'secret', 'Asked']],
    [{ author_username: owner.username }, []],
    [{ milestone: 'v1' }, ['bug', 'chore', 'secret', 'Asked']],
  ];
  for (const [not, expected] of found)
    assert.deepEqual(await listTitles(planner, negate(not)), expected, JSON.stringify(not));
});

test('a filter list may have any length, and each element counts', async () => {
  const many = Array.from({ length: 999 }, (_, index) => `${index}`);
  assert.deepEqual(await listTitles(planner, negate({ labels: many.join() })), ['bug', 'chore', 'secret', 'Asked']);
  assert.deepEqual(await listTitles(planner, negate({ labels: [...many, 'b'].join() })), ['secret', 'Asked']);
  assert.deepEqual(await listTitles(planner, negate({ assignee_username: [...many, guest.username].join() })), [
    'bug',
    'secret',
    'Asked',
  ]);
  assert.deepEqual(await listTitles(planner, { assignee_username: [...many, guest.username].join() }), []);
  const names = Array.from({ length: 101 }, (_, index) => `l${index}`);
  const { iid } = await createIssue('labelled', { labels: names });
  assert.deepEqual(await listTitles(planner, { labels: names }), ['labelled']);
  assert.deepEqual(await listTitles(planner, { labels: [...names, 'b'] }), []);
  await expectSuccess(owner.delete(`${issues}/${iid}`));
  const words = Array.from({ length: 101 }, (_, index) => `${index}`);
  const spoken = await createIssue('spoken', { description: words.join(' ') });
  assert.deepEqual(await listTitles(planner, { search: words.join(' ') }), ['spoken']);
  assert.deepEqual(await listTitles(planner, { search: [...words, 'x'].join(' ') }), []);
  await expectSuccess(owner.delete(`${issues}/${spoken.iid}`));
});

test('None and Any work in negated filters', async () => {
  assert.deepEqual(await listTitles(planner, negate({ labels: 'None' })), ['bug', 'chore']);
  assert.deepEqual(await listTitles(planner, negate({ labels: 'any' })), ['secret', 'Asked']);
  const due = await expectSuccess(
    owner.post(`${project.at}/milestones`, { title: 'Upcoming', due_date: '2020-01-01' }),
  );
  await expectSuccess(owner.put(`${issues}/${bug.iid}`, { milestone_id: due.body.id }));
  assert.deepEqual(await listTitles(planner, { milestone: 'Upcoming' }), ['bug']);
  assert.deepEqual(await listTitles(planner, { milestone_id: 'Upcoming' }), [], 'returns issues, not milestones');
  await expectSuccess(owner.put(`${issues}/${bug.iid}`, { milestone_id: 0, updated_at: '2026-02-01' }));
});

test('a search in a project finds no issues of other projects, even with short words', async () => {
  const elsewhere = await newProject({ owner, visibility: 'public' });
  await expectSuccess(owner.post(`${elsewhere.at}/issues`, { title: 'bug of another' }));
  const counts = await listSearchStatements(elsewhere.id, 'bug');
  if (here.server.services.database.engine === 'sqlite') assert.match(counts[0]!, /project_id/);
  // PostgreSQL uses one query for the project and no separate index query.
  else assert.deepEqual(counts, []);
  assert.deepEqual(await listSearchStatements(elsewhere.id, 'bu'), []);
});

test('all words of a search must be in the title or all in the description', async () => {
  assert.deepEqual(await listTitles(planner, { search: 'LOOP main' }), ['bug']);
  assert.deepEqual(await listTitles(planner, { search: '"main loop"' }), []);
  assert.deepEqual(await listTitles(planner, { search: 'bug loop' }), []);
  assert.deepEqual(await listTitles(planner, { search: 'main', in: 'title' }), []);
  assert.deepEqual(await listTitles(planner, { search: 'main', in: 'description' }), ['bug', 'Asked']);
});

test('each order sorts, nulls last in both directions', async () => {
  const orders: [string, string[], string[]][] = [
    ['created_at', ['bug', 'chore', 'secret', 'Asked'], ['Asked', 'secret', 'chore', 'bug']],
    ['title', ['Asked', 'bug', 'chore', 'secret'], ['secret', 'chore', 'bug', 'Asked']],
    ['weight', ['secret', 'bug', 'chore', 'Asked'], ['bug', 'secret', 'Asked', 'chore']],
    ['due_date', ['bug', 'secret', 'chore', 'Asked'], ['secret', 'bug', 'Asked', 'chore']],
    ['relative_position', ['bug', 'chore', 'secret', 'Asked'], ['Asked', 'secret', 'chore', 'bug']],
    ['popularity', ['bug', 'chore', 'secret', 'Asked'], ['Asked', 'secret', 'chore', 'bug']],
    ['milestone_due', ['bug', 'chore', 'secret', 'Asked'], ['Asked', 'secret', 'chore', 'bug']],
  ];
  for (const [order_by, up, down] of orders) {
    assert.deepEqual(await listTitles(planner, { order_by }), up, order_by);
    assert.deepEqual(await listTitles(planner, { order_by, sort: 'desc' }), down, order_by);
  }
  assert.deepEqual(await listTitles(planner, { order_by: 'updated_at', sort: 'desc', per_page: 1 }), ['bug']);
});

test('orders issues by their lowest label priority, issues without one last', async () => {
  await expectSuccess(owner.put(`${project.at}/labels/b`, { priority: 2 }));
  await expectSuccess(owner.put(`${project.at}/labels/a`, { priority: 1 }));
  for (const order_by of ['label_priority', 'priority']) {
    assert.deepEqual(await listTitles(planner, { order_by }), ['bug', 'chore', 'secret', 'Asked']);
    assert.deepEqual(await listTitles(planner, { order_by, sort: 'desc' }), ['chore', 'bug', 'Asked', 'secret']);
  }
});

test('rejects mutually exclusive filters and invalid values', async () => {
  for (const [params, error] of [
    [{ author_id: 1, author_username: 'a' }, 'author_id, author_username are mutually exclusive'],
    [{ milestone: 'a', milestone_id: 'Any' }, 'milestone, milestone_id are mutually exclusive'],
    [{ assignee_id: 1, assignee_username: 'a' }, 'assignee_id, assignee_username are mutually exclusive'],
    [{ milestone_id: '7' }, 'milestone_id does not have a valid value'],
    [{ order_by: 'iid' }, 'order_by does not have a valid value'],
    [{ assignee_id: 'nobody' }, 'assignee_id is invalid'],
  ] as const) {
    const { status, body } = await planner.get(issues, params);
    assert.deepEqual([status, body], [400, { error }]);
  }
});

test('shows labels as objects on request', async () => {
  const { body } = await planner.get(issues, { labels: 'a', with_labels_details: true });
  assert.deepEqual(
    body[0].labels.map(({ name }: { name: string }) => name),
    ['a', 'b'],
  );
});

test('lists the visible issues of a group and its subgroups, with references relative to it', async () => {
  const group = await newGroup({ visibility: 'public' });
  const below = await newGroup({ in: group, visibility: 'public' });
  const [open, closed] = [
    await newProject({ in: group, visibility: 'public' }),
    await newProject({ in: below, owner: group.owner }),
  ];
  for (const { at } of [open, closed]) await expectSuccess(group.owner.post(`${at}/issues`, { title: at }));
  assert.deepEqual(await listTitles(group.owner, {}, `${group.at}/issues`), [open.at, closed.at]);
  assert.deepEqual(await listTitles(anonymous, {}, `${group.at}/issues`), [open.at]);
  const { body } = await group.owner.get(`${group.at}/issues`, { sort: 'asc' });
  assert.equal(body[0].references.relative, `${open.path}#1`);
  assert.equal(body[1].references.relative, `${closed.path_with_namespace}#1`);
  await expectSuccess(group.owner.post(`${open.at}/archive`));
  assert.deepEqual(await listTitles(group.owner, {}, `${group.at}/issues`), [closed.at]);
  assert.deepEqual(await listTitles(group.owner, { non_archived: false }, `${group.at}/issues`), [open.at, closed.at]);
  await expectSuccess(group.owner.put(closed.at, { issues_access_level: 'disabled' }));
  assert.deepEqual(await listTitles(group.owner, {}, `${group.at}/issues`), []);
});

test('lists issues created by the caller, assigned to the caller, or all readable ones', async () => {
  const ada = await user();
  await expectSuccess(ada.post(issues, { title: 'by ada' }));
  assert.deepEqual(await listTitles(ada, {}, '/issues'), ['by ada']);
  assert.deepEqual(await listTitles(guest, { scope: 'assigned_to_me' }, '/issues'), ['chore']);
  assert.ok((await listTitles(ada, { scope: 'all' }, '/issues')).includes('bug'));
  assert.ok(!(await listTitles(anonymous, { scope: 'all' }, '/issues')).includes('secret'));
  assert.equal((await anonymous.get('/issues')).status, 401);
  assert.equal((await anonymous.get('/issues_statistics')).status, 401);
  assert.equal((await anonymous.get('/issues', { state: 'x' })).status, 401, 'checks authentication before parameters');
  const [first] = (await ada.get('/issues')).body;
  assert.equal(first.references.relative, first.references.full);
  const { body } = await ada.get('/issues_statistics');
  assert.deepEqual(body.statistics.counts, { all: 1, closed: 0, opened: 1 });
});

test('a page needs a constant number of SQL statements', async () => {
  await planner.get(issues);
  const costs: number[] = [];
  for (const iids of [[bug.iid], [bug.iid, secret.iid, 2, 4]]) {
    costs.push(await statements(here, () => planner.get(issues, { iids })));
  }
  assert.equal(new Set(costs).size, 1, costs.join(', '));
  assert.ok(costs[0]! <= 12, `${costs[0]} statements`);
});
