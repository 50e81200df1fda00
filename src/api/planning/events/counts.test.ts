import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type Project, world } from '#test/support/world.ts';
import { createComment, getFeed, newIssue } from './fixtures.testing.ts';

// Events by day (contract/web.md §3).

const here = await world();
const { root, anonymous, clock, server } = here;

const countsOf = (caller: Caller, path: string, params = {}) => caller.get(`${path}/event_counts`, params);
const userPath = ({ id }: Caller) => `/users/${id}`;

/** Counts a list of events by day. */
async function recount(caller: Caller, path: string, params = {}): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let page = 1; ; page++) {
    const { body, headers } = await caller.get(`${path}/events`, { ...params, sort: 'asc', per_page: 100, page });
    for (const { created_at } of body) {
      const day = created_at.slice(0, 10);
      counts[day] = (counts[day] ?? 0) + 1;
    }
    if (headers['x-next-page'] === '') return counts;
  }
}

/** Creates events on several days: pushes, public and confidential issues, and comments. */
async function activeProject() {
  const project = await here.newProject({ visibility: 'public', readme: true, with: ['guest', 'planner'] });
  for (const confidential of [false, true]) {
    clock.advance(24 * 3600);
    const issue = await newIssue(project, { confidential });
    await createComment(project.owner, issue);
    await createComment(project.owner, issue);
    await project.owner.post(`${project.repository}/branches`, { branch: here.name('branch'), ref: 'main' });
  }
  return project;
}

test('counts the events of the lists by day, for each caller those that they may see', async () => {
  const project = await activeProject();
  for (const path of [project.at, userPath(project.owner)]) {
    for (const caller of [project.owner, project.planner, project.guest, anonymous, root] as Caller[]) {
      const { status, body } = await countsOf(caller, path);
      assert.equal(status, 200);
      assert.deepEqual(body, await recount(caller, path));
    }
  }
  const [seen, hidden] = [await countsOf(project.owner, project.at), await countsOf(anonymous, project.at)];
  assert.notDeepEqual(seen.body, hidden.body);
  assert.deepEqual(Object.keys(seen.body), Object.keys(seen.body).toSorted());
});

test('counts only days between after and before', async () => {
  const project = await activeProject();
  const today = clock.now().toISOString().slice(0, 10);
  const yesterday = new Date(clock.now().getTime() - 24 * 3600_000).toISOString().slice(0, 10);
  for (const params of [{ after: yesterday }, { before: today }, { after: '2025-12-01', before: yesterday }]) {
    const { body } = await countsOf(project.owner, project.at, params);
    assert.deepEqual(body, await recount(project.owner, project.at, params));
    assert.ok(Object.keys(body).length < 3);
  }
});

/** Returns a row of the feed for a project whose owner has joined it. */
const createEventRow = ({ id, owner }: Project, created_at: string) =>
  ({
    project_id: id,
    author_id: owner.id,
    action: 'joined',
    action_name: 'joined',
    target_type: 'Project',
    target_id: id,
    created_at,
  }) as const;

test('counts at most 366 days, by default those until today', async () => {
  const project: Project = await here.newProject({ visibility: 'public' });
  const [start, restart] = ['2024-02-29T12:00:00.000Z', '2025-03-01T12:00:00.000Z'];
  await server.services.database.transaction(async (tx) => {
    for (const created_at of [start, restart])
      await tx.insertInto('activity_events').values(createEventRow(project, created_at)).execute();
  });
  const params = { after: '2024-02-28', before: '2025-03-01' };
  assert.deepEqual((await countsOf(anonymous, project.at, params)).body, { '2024-02-29': 1 });
  const tooLong = await countsOf(anonymous, project.at, { after: '2024-02-28', before: '2025-03-02' });
  const error = 'after and before are more than 366 days apart';
  assert.deepEqual([tooLong.status, tooLong.body], [400, { error }]);
  assert.equal((await countsOf(anonymous, project.at, { after: 'x' })).status, 400);
  const { body } = await countsOf(anonymous, project.at);
  assert.deepEqual([body['2024-02-29'], body['2025-03-01']], [undefined, 1]);
});

test('counts nothing of private users, and nothing of projects that the caller cannot see', async () => {
  const project = await here.newProject({});
  const { owner } = project;
  assert.deepEqual((await countsOf(anonymous, userPath(owner))).body, {});
  assert.equal((await countsOf(anonymous, project.at)).status, 404);
  const open = await here.newProject({ visibility: 'public', owner });
  assert.equal(Object.values((await countsOf(anonymous, userPath(owner))).body).length, 1);
  await root.put(`/users/${owner.id}`, { private_profile: true });
  assert.deepEqual((await countsOf(anonymous, userPath(owner))).body, {});
  assert.equal((await getFeed(anonymous, `${open.at}/events`)).length, 1);
  assert.equal((await countsOf(anonymous, '/users/nobody-at-all')).status, 404);
});

test('counts each of many events of the same time once', async () => {
  const project = await here.newProject({ visibility: 'public' });
  const created_at = clock.now().toISOString();
  const event = createEventRow(project, created_at);
  await server.services.database.transaction(async (tx) => {
    for (let count = 0; count < 11_000; count += 500)
      await tx
        .insertInto('activity_events')
        .values(Array.from({ length: 500 }, () => event))
        .execute();
  });
  for (const path of [project.at, userPath(project.owner)]) {
    const { body } = await countsOf(root, path);
    // The project itself is an event too.
    assert.deepEqual(body, { [created_at.slice(0, 10)]: 11_001 });
  }
});
