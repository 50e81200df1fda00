import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Group, type Project, world } from '#test/support/world.ts';

const here = await world();

interface Titled {
  readonly id: number;
  readonly title: string;
}

async function newMilestone({ at, owner }: Group | Project, title: string, params = {}): Promise<Titled> {
  const { status, body } = await owner.post(`${at}/milestones`, { title, ...params });
  assert.equal(status, 201);
  return body;
}

async function titles({ at, owner }: Group | Project, params = {}): Promise<string[]> {
  return (await owner.get(`${at}/milestones`, params)).body.map(({ title }: Titled) => title);
}

test('orders milestones by due date with nulls last, then newest first', async () => {
  const project = await here.newProject();
  await newMilestone(project, 'never b');
  await newMilestone(project, 'never a');
  await newMilestone(project, 'late', { due_date: '2026-05-01' });
  await newMilestone(project, 'early b', { due_date: '2026-04-01' });
  await newMilestone(project, 'early a', { due_date: '2026-04-01' });
  assert.deepEqual(await titles(project), ['early a', 'early b', 'late', 'never a', 'never b']);
  const { headers } = await project.owner.get(`${project.at}/milestones`, { per_page: 2 });
  assert.equal(headers['x-total'], '5');
});

test('includes milestones of descendant groups and projects on request, where the caller may see them', async () => {
  const group = await here.newGroup();
  const subgroup = await here.newGroup({ in: group });
  const [project, below] = [await here.newProject({ in: group }), await here.newProject({ in: subgroup })];
  await newMilestone(group, 'a');
  await newMilestone(subgroup, 'b');
  await newMilestone(project, 'c');
  await newMilestone(below, 'd');
  assert.deepEqual(await titles(group), ['a']);
  assert.deepEqual(await titles(group, { include_descendants: true }), ['d', 'c', 'b', 'a']);
  assert.deepEqual(await titles(group, { include_descendants: true, title: 'c' }), ['c']);
  assert.deepEqual(await titles(subgroup, { include_descendants: true, include_ancestors: true }), ['d', 'b', 'a']);
  const member = await project.addMember('reporter');
  const { body } = await member.get(`${group.at}/milestones`, { include_descendants: true });
  assert.deepEqual(
    body.map(({ title }: Titled) => title),
    ['c', 'a'],
  );
});

test('includes milestones of ancestor groups on request', async () => {
  const group = await here.newGroup();
  const subgroup = await here.newGroup({ in: group });
  const project = await here.newProject({ in: subgroup });
  await newMilestone(group, 'a');
  await newMilestone(subgroup, 'b');
  await newMilestone(project, 'c');
  assert.deepEqual(await titles(project), ['c']);
  assert.deepEqual(await titles(project, { include_ancestors: true }), ['c', 'b', 'a']);
  assert.deepEqual(await titles(project, { include_parent_milestones: true }), ['c', 'b', 'a']);
  assert.deepEqual(await titles(subgroup), ['b']);
  assert.deepEqual(await titles(subgroup, { include_ancestors: true }), ['b', 'a']);
});

test('filters milestones by state, iid, title and update time', async () => {
  const project = await here.newProject();
  const first = await newMilestone(project, 'v1');
  await newMilestone(project, 'v1.1');
  await project.owner.put(`${project.at}/milestones/${first.id}`, { state_event: 'close' });
  const { updated_at: changed } = (await project.owner.get(`${project.at}/milestones/${first.id}`)).body;
  for (const [filter, found] of [
    [{ state: 'active' }, ['v1.1']],
    [{ state: 'closed' }, ['v1']],
    [{ state: 'all' }, ['v1.1', 'v1']],
    [{ iids: '2,7' }, ['v1.1']],
    [{ iids: [1, 2] }, ['v1.1', 'v1']],
    [{ title: 'v1' }, ['v1']],
    [{ title: 'V1' }, []],
    [{ updated_after: '2100-01-01' }, []],
    [{ updated_before: '2000-01-01' }, []],
    [{ updated_before: changed, updated_after: '2000-01-01' }, ['v1.1', 'v1']],
  ] as const) {
    assert.deepEqual(await titles(project, filter), found, JSON.stringify(filter));
  }
  const { status, body } = await project.owner.get(`${project.at}/milestones`, { state: 'open' });
  assert.deepEqual([status, body], [400, { error: 'state does not have a valid value' }]);
});

test('searches for milestones with all words in the title or all in the description', async () => {
  const project = await here.newProject();
  await newMilestone(project, 'Spring release', { description: 'All of it' });
  await newMilestone(project, 'Autumn', { description: 'The RELEASE of spring' });
  await newMilestone(project, 'Winter');
  for (const [search, found] of [
    ['spring', ['Autumn', 'Spring release']],
    ['release SPRING', ['Autumn', 'Spring release']],
    ['"spring release"', ['Spring release']],
    ['spring all', []],
    ['%', []],
  ] as const) {
    assert.deepEqual(await titles(project, { search }), found, search);
  }
});

test('shows a milestone as expired if it was due before today', async () => {
  const project = await here.newProject();
  const today = here.clock.now().toISOString().slice(0, 10);
  await newMilestone(project, 'today', { due_date: today });
  await newMilestone(project, 'past', { due_date: '2020-01-01' });
  const { body } = await project.owner.get(`${project.at}/milestones`);
  const fields = body.map(({ title, expired }: Titled & { expired: boolean }) => [title, expired]);
  assert.deepEqual(fields, [
    ['past', true],
    ['today', false],
  ]);
});

test('returns a milestone by id in its own parent to signed-in callers', async () => {
  const group = await here.newGroup({ visibility: 'public' });
  const project = await here.newProject({ in: group, visibility: 'public' });
  const { id } = await newMilestone(group, 'of group');
  assert.equal((await group.owner.get(`${group.at}/milestones/${id}`)).status, 200);
  for (const path of [`${project.at}/milestones/${id}`, `${group.at}/milestones/99999999`]) {
    const { status, body } = await group.owner.get(path);
    assert.deepEqual([status, body], [404, { message: '404 Not found' }]);
  }
  const wrong = await group.owner.get(`${group.at}/milestones/one`);
  assert.deepEqual([wrong.status, wrong.body], [400, { error: 'milestone_id is invalid' }]);
  assert.equal((await here.anonymous.get(`${group.at}/milestones/${id}`)).status, 401);
});

test('shows milestones where issues or merge requests are visible', async () => {
  const { project, owner, guest } = await world({ project: { visibility: 'public', with: ['guest'] } });
  const { id } = (await owner.post(`${project.at}/milestones`, { title: 'v1' })).body;
  const stranger = await here.user();
  const paths = ['', `/${id}`, `/${id}/issues`].map((path) => `${project.at}/milestones${path}`);
  const statuses = async (caller: { get(path: string): Promise<{ status: number }> }) => [
    ...new Set(await Promise.all(paths.map(async (path) => (await caller.get(path)).status))),
  ];
  const set = (issues_access_level: string, merge_requests_access_level: string) =>
    owner.put(project.at, { issues_access_level, merge_requests_access_level });
  for (const [issues, requests, strangers, guests] of [
    ['private', 'enabled', 200, 200],
    ['enabled', 'disabled', 200, 200],
    ['private', 'disabled', 403, 200],
    ['disabled', 'disabled', 403, 403],
  ] as const) {
    await set(issues, requests);
    assert.deepEqual([await statuses(stranger), await statuses(guest)], [[strangers], [guests]]);
  }
});
