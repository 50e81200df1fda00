import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statements } from '#test/support/statement-watch.ts';
import { type Caller, done, world } from '#test/support/world.ts';
import { newMergeRequest } from '../fixtures.testing.ts';

const here = await world();
const { newGroup, newProject, user, name, clock, anonymous } = here;
const group = await newGroup();
const project = await newProject({ in: group, readme: true, with: ['guest', 'planner', 'developer', 'reporter'] });
const { owner, guest, planner, developer, reporter } = project;
const at = `${project.at}/merge_requests`;

const milestone = (await done(owner.post(`${project.at}/milestones`, { title: 'v1' }))).body;
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
await done(owner.put(two.at, { state_event: 'close' }));

const iids = async (params: object, path = at, by: Caller = owner): Promise<number[]> => {
  const { status, body } = await by.get(path, params as Record<string, unknown>);
  assert.equal(status, 200, JSON.stringify(body));
  return body.map(({ iid }: { iid: number }) => iid);
};

test('each filter lets through what it is about', async () => {
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
      await iids(params),
      found.map(({ iid }) => iid),
      JSON.stringify(params),
    );
  }
});

test('each order goes both ways, and what is not merged comes last in either', async () => {
  const merged = await newMergeRequest(project, { title: 'Zip' });
  await done(owner.put(`${merged.at}/merge`));
  const rows = {
    created_at: [one, two, three, merged],
    title: [three, two, one, merged],
    updated_at: [one, two, three, merged],
  };
  for (const [order_by, found] of Object.entries(rows)) {
    const ascending = found.map(({ iid }) => iid);
    assert.deepEqual((await iids({ order_by, sort: 'asc' })).at(-1), ascending.at(-1), order_by);
    assert.deepEqual(await iids({ order_by }), (await iids({ order_by, sort: 'asc' })).reverse(), order_by);
  }
  assert.deepEqual(
    await iids({ order_by: 'title', sort: 'asc' }),
    [three, two, one, merged].map(({ iid }) => iid),
  );
  for (const sort of ['asc', 'desc']) assert.equal((await iids({ order_by: 'merged_at', sort }))[0], merged.iid);
  await done(owner.delete(merged.at));
});

test('filters of two kinds that say the same thing are not taken together, and no other value is', async () => {
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

test('a Guest of a private project is told that he may not, and finds none of it elsewhere', async () => {
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
  assert.deepEqual(await iids({}, at, planner), [three.iid, two.iid, one.iid]);
});

test('of all projects one lists one’s own, those assigned to one, or all that one may read', async () => {
  assert.deepEqual(await iids({}, '/merge_requests', developer), [one.iid]);
  assert.deepEqual(await iids({ scope: 'assigned_to_me' }, '/merge_requests', reporter), [two.iid]);
  const open = await newProject({ visibility: 'public', readme: true });
  const shown = await newMergeRequest(open, { title: name('Public') });
  for (const by of [anonymous, await user()]) {
    assert.deepEqual(await iids({ scope: 'all', search: shown.title }, '/merge_requests', by), [shown.iid]);
    assert.deepEqual(await iids({ scope: 'all', search: 'Bring words' }, '/merge_requests', by), []);
  }
  assert.equal((await anonymous.get('/merge_requests')).status, 401);
});

test('a group lists those of all below it, and refers to them from there', async () => {
  const subgroup = await newGroup({ in: group });
  const below = await newProject({ in: subgroup, readme: true });
  const made = await newMergeRequest(below, { title: name('Below') });
  const { body } = await owner.get(`${group.at}/merge_requests`, { search: made.title });
  assert.deepEqual(
    body.map(({ id }: { id: number }) => id),
    [made.id],
  );
  assert.equal(body[0].references.relative, `${below.path_with_namespace}!${made.iid}`);
  await done(below.owner.post(`${below.at}/archive`));
  assert.deepEqual(await iids({ search: made.title }, `${group.at}/merge_requests`), []);
  const more = { search: made.title, non_archived: false };
  assert.deepEqual(await iids(more, `${group.at}/merge_requests`), [made.iid]);
});

test('view=simple tells less of each', async () => {
  const { body } = await owner.get(at, { view: 'simple', iids: [three.iid] });
  const { id, iid, project_id, title, description, state, created_at, updated_at, web_url } = three;
  assert.deepEqual(body, [{ id, iid, project_id, title, description, state, created_at, updated_at, web_url }]);
});

test('a milestone lists its merge requests, those whose labels go before others first', async () => {
  const path = `${project.at}/milestones/${milestone.id}/merge_requests`;
  const urgent = await newMergeRequest(project, { labels: 'urgent', milestone_id: milestone.id });
  const later = await newMergeRequest(project, { milestone_id: milestone.id });
  await done(owner.put(`${project.at}/labels/urgent`, { priority: 1 }));
  assert.deepEqual(await iids({}, path), [urgent.iid, later.iid, two.iid]);
  for (const made of [urgent, later]) await done(owner.delete(made.at));
});

test('a page costs as many statements whatever is on it', async () => {
  await planner.get(at);
  const costs: number[] = [];
  for (const few of [[two], [one, two, three]]) {
    costs.push(await statements(here, () => planner.get(at, { iids: few.map(({ iid }) => iid) })));
  }
  assert.equal(new Set(costs).size, 1, costs.join(', '));
});
