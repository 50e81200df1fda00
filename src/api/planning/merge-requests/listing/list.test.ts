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
    [{ reviewer_username: 'none' }, [two, one]],
    [{ assignee_username: 'Any' }, [two]],
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
    [{ scope: 'created-by-me' }, [three, two]],
    [{ scope: 'assigned_to_me' }, []],
    [{ scope: 'assigned-to-me' }, []],
    [{ scope: 'reviews_for_me' }, []],
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

test('each negated filter excludes matching merge requests', async () => {
  const rows: [not: object, found: { iid: number }[]][] = [
    [{ labels: 'ui' }, [three, two]],
    [{ labels: 'bug' }, [two]],
    [{ labels: 'None' }, [three, one]],
    [{ milestone: 'v1' }, [three, one]],
    [{ author_id: developer.id }, [three, two]],
    [{ author_username: developer.username }, [three, two]],
    [{ assignee_id: reporter.id }, [three, one]],
    [{ assignee_username: reporter.username }, [three, one]],
    [{ assignee_username: 'None' }, [two]],
    [{ reviewer_id: reporter.id }, [two, one]],
    [{ reviewer_id: 'Any' }, [two, one]],
    [{ reviewer_username: reporter.username }, [two, one]],
    [{ labels: 'ui', assignee_id: reporter.id }, [three]],
    [{}, [three, two, one]],
  ];
  for (const [not, found] of rows) {
    const params = Object.fromEntries(Object.entries(not).map(([name, value]) => [`not[${name}]`, value]));
    assert.deepEqual(
      await listIids(params),
      found.map(({ iid }) => iid),
      JSON.stringify(not),
    );
  }
  const { status, body } = await owner.get(at, { 'not[author_id]': 1, 'not[author_username]': 'x' });
  assert.deepEqual([status, body], [400, { error: 'not[author_id], not[author_username] are mutually exclusive' }]);
});

test('filters by approvals, and by approvers, which no merge request has', async () => {
  await expectSuccess(owner.post(`${one.at}/approve`));
  await expectSuccess(developer.post(`${three.at}/approve`));
  await expectSuccess(planner.get(at));
  const maintainer = await project.addMember('maintainer');
  await expectSuccess(maintainer.post(`${three.at}/approve`));
  const rows: [params: object, found: { iid: number }[]][] = [
    [{ approved: 'yes' }, [three, one]],
    [{ approved: 'no' }, [two]],
    [{ approved_by_ids: [developer.id] }, [three]],
    [{ approved_by_ids: [developer.id, maintainer.id] }, [three]],
    [{ approved_by_ids: [developer.id, owner.id] }, []],
    [{ approved_by_ids: `${owner.id}` }, [one]],
    [{ approved_by_ids: 'None' }, [two]],
    [{ approved_by_ids: 'Any' }, [three, one]],
    [{ approved_by_usernames: [developer.username.toUpperCase(), maintainer.username] }, [three]],
    [{ approved_by_usernames: 'none' }, [two]],
    [{ approved_by_usernames: 'nobody-of-this-name' }, []],
    [{ approver_ids: [developer.id] }, []],
    [{ approver_ids: 'Any' }, []],
    [{ approver_ids: 'None' }, [three, two, one]],
    [{ approved: 'yes', labels: 'ui' }, [one]],
  ];
  for (const path of [at, `${group.at}/merge_requests`]) {
    for (const [params, found] of rows) {
      assert.deepEqual(
        await listIids(params, path),
        found.map(({ iid }) => iid),
        `${path} ${JSON.stringify(params)}`,
      );
    }
  }
  const refused = await owner.get(at, { approved_by_ids: [1, 2, 3, 4, 5, 6] });
  assert.deepEqual(
    [refused.status, refused.body],
    [400, { error: 'approved_by_ids is too long (maximum is 5 elements)' }],
  );
  for (const by of [owner, developer, maintainer]) {
    for (const made of [one, three]) await by.post(`${made.at}/unapprove`);
  }
});

test('filters by the emoji that the caller awarded', async () => {
  await expectSuccess(planner.post(`${one.at}/award_emoji`, { name: 'star' }));
  await expectSuccess(planner.post(`${two.at}/award_emoji`, { name: 'thumbsup' }));
  await expectSuccess(owner.post(`${three.at}/award_emoji`, { name: 'star' }));
  const rows: [params: object, found: { iid: number }[]][] = [
    [{ my_reaction_emoji: 'star' }, [one]],
    [{ my_reaction_emoji: '+1' }, [two]],
    [{ my_reaction_emoji: 'heart' }, []],
    [{ my_reaction_emoji: 'not an emoji' }, []],
    [{ my_reaction_emoji: 'Any' }, [two, one]],
    [{ my_reaction_emoji: 'none' }, [three]],
    [{ my_reaction_emoji: '' }, [three, two, one]],
    [{ 'not[my_reaction_emoji]': 'star' }, [three, two]],
  ];
  for (const [params, found] of rows) {
    assert.deepEqual(
      await listIids(params, at, planner),
      found.map(({ iid }) => iid),
      JSON.stringify(params),
    );
  }
});

test('filters by who merged, by source project, and by the project of the list', async () => {
  const merger = await project.addMember('maintainer');
  const merged = await newMergeRequest(project);
  await expectSuccess(merger.put(`${merged.at}/merge`));
  const rows: [params: object, found: { iid: number }[]][] = [
    [{ merge_user_id: merger.id }, [merged]],
    [{ merge_user_username: merger.username }, [merged]],
    [{ merge_user_id: developer.id }, []],
    [{ merge_user_username: 'nobody-of-this-name' }, []],
    [{ source_project_id: project.id }, [merged, three, two, one]],
    [{ source_project_id: project.id + 1000 }, []],
  ];
  for (const path of [at, `${group.at}/merge_requests`]) {
    for (const [params, found] of rows) {
      assert.deepEqual(
        await listIids(params, path),
        found.map(({ iid }) => iid),
        `${path} ${JSON.stringify(params)}`,
      );
    }
  }
  await expectSuccess(owner.delete(merged.at));
});

test('filters by the environment and the time of a deployment that shipped the merge request', async () => {
  const shipped = await newMergeRequest(project);
  const { merge_commit_sha: sha } = (await expectSuccess(owner.put(`${shipped.at}/merge`))).body;
  const deployment = { environment: 'production', ref: 'main', tag: false, sha, status: 'success' };
  const { body } = await expectSuccess(owner.post(`${project.at}/deployments`, deployment));
  await here.runJobs();
  const finishedAt = Date.parse(body.updated_at);
  const [before, after] = [-1000, 1000].map((offset) => new Date(finishedAt + offset).toISOString());
  const rows: [params: object, found: { iid: number }[]][] = [
    [{ environment: 'production' }, [shipped]],
    [{ environment: 'staging' }, []],
    [{ environment: '' }, []],
    [{ deployed_after: before }, [shipped]],
    [{ deployed_after: after }, []],
    [{ deployed_before: after }, [shipped]],
    [{ deployed_before: before }, []],
    [{ deployed_after: before, deployed_before: after, environment: 'production' }, [shipped]],
    [{ deployed_after: after, environment: 'production' }, []],
  ];
  for (const path of [at, `${group.at}/merge_requests`]) {
    for (const [params, found] of rows) {
      assert.deepEqual(
        await listIids(params, path),
        found.map(({ iid }) => iid),
        `${path} ${JSON.stringify(params)}`,
      );
    }
  }
  const params = { environment: 'production', scope: 'all' };
  for (const path of [at, `${group.at}/merge_requests`, '/merge_requests']) {
    assert.deepEqual(await listIids(params, path, reporter), [shipped.iid]);
    assert.deepEqual(await listIids(params, path, planner), [], 'Planners read merge requests, but no deployments');
  }
  await expectSuccess(owner.delete(shipped.at));
});

test('shows the details of labels on request', async () => {
  const { body } = await owner.get(at, { iids: [one.iid], with_labels_details: true });
  assert.deepEqual(
    body[0].labels.map(({ name: title, color }: { name: string; color: string }) => [title, color]),
    [
      ['bug', '#6699cc'],
      ['ui', '#6699cc'],
    ],
  );
  assert.deepEqual((await owner.get(at, { iids: [one.iid] })).body[0].labels, ['bug', 'ui']);
});

test('orders by label priority, due date of the milestone, both, or popularity', async () => {
  const due = (await expectSuccess(owner.post(`${project.at}/milestones`, { title: 'due', due_date: '2026-03-01' })))
    .body;
  await expectSuccess(owner.put(one.at, { milestone_id: due.id }));
  await expectSuccess(owner.post(`${project.at}/labels`, { name: 'first', color: '#000000', priority: 1 }));
  await expectSuccess(owner.put(three.at, { add_labels: 'first' }));
  await expectSuccess(planner.post(`${three.at}/award_emoji`, { name: 'thumbsup' }));
  const rows: [order_by: string, ascending: { iid: number }[]][] = [
    ['milestone_due', [one, two, three]],
    ['label_priority', [three, one, two]],
    ['priority', [one, three, two]],
    ['popularity', [one, two, three]],
  ];
  for (const path of [at, `${group.at}/merge_requests`]) {
    for (const [order_by, found] of rows) {
      const listed = await listIids({ order_by, sort: 'asc' }, path);
      assert.deepEqual(
        order_by === 'popularity' ? listed.slice(-1) : listed,
        (order_by === 'popularity' ? [three] : found).map(({ iid }) => iid),
        `${path} ${order_by}`,
      );
    }
    // Those without a value come last in both directions.
    assert.equal((await listIids({ order_by: 'label_priority' }, path))[0], three.iid);
    assert.equal((await listIids({ order_by: 'milestone_due' }, path))[0], one.iid);
  }
  await expectSuccess(owner.put(one.at, { milestone_id: 0 }));
  await expectSuccess(owner.put(three.at, { remove_labels: 'first' }));
});

test('rejects mutually exclusive filters and invalid values', async () => {
  for (const [params, error] of [
    [{ author_id: 1, author_username: 'x' }, 'author_id, author_username are mutually exclusive'],
    [{ assignee_id: 1, assignee_username: 'x' }, 'assignee_id, assignee_username are mutually exclusive'],
    [{ reviewer_id: 1, reviewer_username: 'x' }, 'reviewer_id, reviewer_username are mutually exclusive'],
    [{ state: 'reopened' }, 'state does not have a valid value'],
    [{ merge_user_id: 1, merge_user_username: 'x' }, 'merge_user_id, merge_user_username are mutually exclusive'],
    [{ approved: 'maybe' }, 'approved does not have a valid value'],
    [{ scope: 'mine' }, 'scope does not have a valid value'],
    [{ deployed_after: 'yesterday' }, 'deployed_after is invalid'],
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
  for (const scope of ['assigned_to_me', 'assigned-to-me'])
    assert.deepEqual(await listIids({ scope }, '/merge_requests', reporter), [two.iid]);
  for (const path of ['/merge_requests', at])
    assert.deepEqual(await listIids({ scope: 'reviews_for_me' }, path, reporter), [three.iid]);
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
