import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statements } from '#test/support/statement-watch.ts';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from '../fixtures.testing.ts';

const here = await world();
const { newGroup, newProject, user, name, clock, anonymous } = here;
const group = await newGroup();
const project = await newProject({ in: group, readme: true, with: ['guest', 'planner', 'developer', 'reporter'] });
const { owner, guest, planner, developer, reporter } = project;
const at = `${project.at}/merge_requests`;

const milestone = (await expectSuccess(owner.post(`${project.at}/milestones`, { title: 'v1' }))).body;
const one = await newMergeRequest(project, { title: 'Draft: Ärger melden', labels: 'bug,ui' }, developer);
clock.advance(1000);
const two = await newMergeRequest(project, {
  title: 'Bring words',
  assignee_ids: [reporter.id],
  milestone_id: milestone.id,
});
clock.advance(1000);
const three = await newMergeRequest(project, {
  title: 'Ask',
  description: 'some ärger',
  reviewer_ids: [reporter.id],
  labels: 'bug',
});
await expectSuccess(owner.put(two.at, { state_event: 'close' }));

const listIids = async (params: object, path = at, by: Caller = owner): Promise<number[]> => {
  const { status, body } = await by.get(path, params as Record<string, unknown>);
  assert.equal(status, 200, JSON.stringify(body));
  return body.map(({ iid }: { iid: number }) => iid);
};

test('each filter selects matching merge requests', async () => {
  const rows: [params: object, found: { iid: number }[]][] = [
    [{}, [three, two, one]],
    [
      { author_username: '', reviewer_username: '', milestone: '', source_branch: '', target_branch: '' },
      [three, two, one],
    ],
    [{ state: 'opened' }, [three, one]],
    [{ state: 'closed' }, [two]],
    [{ state: 'merged' }, []],
    [{ state: 'locked' }, []],
    [{ labels: 'bug' }, [three, one]],
    [{ labels: 'bug,ui' }, [one]],
    [{ labels: 'None' }, [two]],
    [{ milestone: 'v1' }, [two]],
    [{ milestone: 'None' }, [three, one]],
    [{ author_id: developer.id }, [one]],
    [{ author_username: developer.username }, [one]],
    [{ assignee_id: reporter.id }, [two]],
    [{ assignee_id: 'None' }, [three, one]],
    [{ assignee_username: reporter.username }, [two]],
    [{ reviewer_id: reporter.id }, [three]],
    [{ reviewer_id: 'Any' }, [three]],
    [{ reviewer_username: reporter.username }, [three]],
    [{ source_branch: two.source_branch }, [two]],
    [{ target_branch: 'main' }, [three, two, one]],
    [{ target_branch: 'other' }, []],
    [{ search: 'ÄRGER' }, [three, one]],
    [{ search: 'ärger', in: 'title' }, [one]],
    [{ iids: [one.iid, two.iid] }, [two, one]],
    [{ draft: true }, [one]],
    [{ draft: false }, [three, two]],
    [{ wip: 'yes' }, [one]],
    [{ wip: 'no' }, [three, two]],
    [{ created_after: two.created_at }, [three, two]],
    [{ created_before: two.created_at }, [two, one]],
    [{ updated_before: one.updated_at }, [one]],
    [{ scope: 'created_by_me' }, [three, two]],
    [{ scope: 'assigned_to_me' }, []],
  ];
  for (const [params, found] of rows) {
    assert.deepEqual(
      await listIids(params),
      found.map(({ iid }) => iid),
      JSON.stringify(params),
    );
  }
});

test('each order sorts in both directions, unmerged ones last by merge time', async () => {
  const merged = await newMergeRequest(project, { title: 'Zip' });
  await expectSuccess(owner.put(`${merged.at}/merge`));
  const rows = {
    created_at: [one, two, three, merged],
    title: [three, two, one, merged],
    updated_at: [one, two, three, merged],
  };
  for (const [order_by, found] of Object.entries(rows)) {
    const ascending = found.map(({ iid }) => iid);
    assert.deepEqual((await listIids({ order_by, sort: 'asc' })).at(-1), ascending.at(-1), order_by);
    assert.deepEqual(await listIids({ order_by }), (await listIids({ order_by, sort: 'asc' })).reverse(), order_by);
  }
  assert.deepEqual(
    await listIids({ order_by: 'title', sort: 'asc' }),
    [three, two, one, merged].map(({ iid }) => iid),
  );
  for (const sort of ['asc', 'desc']) assert.equal((await listIids({ order_by: 'merged_at', sort }))[0], merged.iid);
  await expectSuccess(owner.delete(merged.at));
});

test('rejects mutually exclusive filters and invalid values', async () => {
  for (const [params, error] of [
    [{ author_id: 1, author_username: 'x' }, 'author_id, author_username are mutually exclusive'],
    [{ assignee_id: 1, assignee_username: 'x' }, 'assignee_id, assignee_username are mutually exclusive'],
    [{ reviewer_id: 1, reviewer_username: 'x' }, 'reviewer_id, reviewer_username are mutually exclusive'],
    [{ state: 'reopened' }, 'state does not have a valid value'],
    [{ order_by: 'weight' }, 'order_by does not have a valid value'],
    [{ view: 'full' }, 'view does not have a valid value'],
  ] as const) {
    const refused = await owner.get(at, params);
    assert.deepEqual([refused.status, refused.body], [400, { error }]);
  }
});

test('answers 403 to a Guest of a private project and hides its merge requests in other lists', async () => {
  const refused = [await guest.get(at), await guest.get(one.at)];
  for (const { status, body } of refused) assert.deepEqual([status, body], [403, { message: '403 Forbidden' }]);
  for (const path of [
    `${group.at}/merge_requests`,
    '/merge_requests',
    `${project.at}/milestones/${milestone.id}/merge_requests`,
  ]) {
    const { body, headers } = await guest.get(path, { scope: 'all', search: 'ask' });
    assert.deepEqual([body, headers['x-total']], [[], '0'], path);
  }
  assert.deepEqual(await listIids({}, at, planner), [three.iid, two.iid, one.iid]);
});

test('lists merge requests created by the caller, assigned to the caller, or all readable ones', async () => {
  assert.deepEqual(await listIids({}, '/merge_requests', developer), [one.iid]);
  assert.deepEqual(await listIids({ scope: 'assigned_to_me' }, '/merge_requests', reporter), [two.iid]);
  const open = await newProject({ visibility: 'public', readme: true });
  const shown = await newMergeRequest(open, { title: name('Public') });
  for (const by of [anonymous, await user()]) {
    assert.deepEqual(await listIids({ scope: 'all', search: shown.title }, '/merge_requests', by), [shown.iid]);
    assert.deepEqual(await listIids({ scope: 'all', search: 'Bring words' }, '/merge_requests', by), []);
  }
  assert.equal((await anonymous.get('/merge_requests')).status, 401);
});

test('lists the merge requests of a group and its subgroups, with references relative to it', async () => {
  const subgroup = await newGroup({ in: group });
  const below = await newProject({ in: subgroup, readme: true });
  const made = await newMergeRequest(below, { title: name('Below') });
  const { body } = await owner.get(`${group.at}/merge_requests`, { search: made.title });
  assert.deepEqual(
    body.map(({ id }: { id: number }) => id),
    [made.id],
  );
  assert.equal(body[0].references.relative, `${below.path_with_namespace}!${made.iid}`);
  await expectSuccess(below.owner.post(`${below.at}/archive`));
  assert.deepEqual(await listIids({ search: made.title }, `${group.at}/merge_requests`), []);
  const more = { search: made.title, non_archived: false };
  assert.deepEqual(await listIids(more, `${group.at}/merge_requests`), [made.iid]);
});

test('view=simple returns fewer fields', async () => {
  const { body } = await owner.get(at, { view: 'simple', iids: [three.iid] });
  const { id, iid, project_id, title, description, state, created_at, updated_at, web_url } = three;
  assert.deepEqual(body, [{ id, iid, project_id, title, description, state, created_at, updated_at, web_url }]);
});

test('a milestone lists its merge requests by label priority', async () => {
  const path = `${project.at}/milestones/${milestone.id}/merge_requests`;
  const urgent = await newMergeRequest(project, { labels: 'urgent', milestone_id: milestone.id });
  const later = await newMergeRequest(project, { milestone_id: milestone.id });
  await expectSuccess(owner.put(`${project.at}/labels/urgent`, { priority: 1 }));
  assert.deepEqual(await listIids({}, path), [urgent.iid, later.iid, two.iid]);
  for (const made of [urgent, later]) await expectSuccess(owner.delete(made.at));
});

test('a page needs a constant number of SQL statements', async () => {
  await planner.get(at);
  const costs: number[] = [];
  for (const few of [[two], [one, two, three]]) {
    costs.push(await statements(here, () => planner.get(at, { iids: few.map(({ iid }) => iid) })));
  }
  assert.equal(new Set(costs).size, 1, costs.join(', '));
});
