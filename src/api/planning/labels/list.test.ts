import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Group, type Project, world } from '#test/support/world.ts';

const here = await world();

interface Named {
  readonly name: string;
}
const names = (labels: readonly Named[]) => labels.map(({ name }) => name);

async function newLabels({ at, owner }: Group | Project, ...titles: string[]): Promise<void> {
  for (const name of titles) {
    const { status } = await owner.post(`${at}/labels`, { name, color: 'red', description: `About ${name}` });
    assert.equal(status, 201);
  }
}

test('orders labels by title and includes those of ancestor groups by default', async () => {
  const group = await here.newGroup();
  const subgroup = await here.newGroup({ in: group });
  const project = await here.newProject({ in: subgroup });
  await newLabels(group, 'b');
  await newLabels(subgroup, 'c');
  await newLabels(project, 'd', 'a');
  const list = async (place: Group | Project, params = {}) =>
    names((await group.owner.get(`${place.at}/labels`, params)).body);
  assert.deepEqual(await list(project), ['a', 'b', 'c', 'd']);
  assert.deepEqual(await list(project, { include_ancestor_groups: false }), ['a', 'd']);
  assert.deepEqual(await list(subgroup), ['b', 'c']);
  assert.deepEqual(await list(subgroup, { include_ancestor_groups: false }), ['c']);
  assert.deepEqual(await list(group, { only_group_labels: false }), ['b']);
});

test('creates archived labels, and lists archived labels, others, or both', async () => {
  for (const { at, owner } of [await here.newGroup(), await here.newProject()]) {
    for (const [name, archived] of Object.entries({ old: true, kept: false, plain: undefined })) {
      const { status, body } = await owner.post(`${at}/labels`, { name, color: 'red', archived });
      assert.deepEqual([status, body.archived], [201, archived === true]);
    }
    const list = async (params = {}) => names((await owner.get(`${at}/labels`, params)).body);
    assert.deepEqual(await list(), ['kept', 'old', 'plain']);
    assert.deepEqual(await list({ archived: '' }), ['kept', 'old', 'plain']);
    assert.deepEqual(await list({ archived: true }), ['old']);
    assert.deepEqual(await list({ archived: false }), ['kept', 'plain']);
  }
});

test('includes labels of descendant groups and of projects on request, where the caller may see them', async () => {
  const group = await here.newGroup({ with: ['guest'] });
  const subgroup = await here.newGroup({ in: group });
  const project = await here.newProject({ in: group });
  const below = await here.newProject({ in: subgroup });
  const withoutIssuables = await here.newProject({
    in: group,
    issues_access_level: 'disabled',
    merge_requests_access_level: 'disabled',
  });
  await newLabels(group, 'a');
  await newLabels(subgroup, 'b');
  await newLabels(project, 'c');
  await newLabels(below, 'd');
  await newLabels(withoutIssuables, 'e');
  const path = `${group.at}/labels`;
  const list = async (params: object, by = group.guest) => names((await by.get(path, { ...params })).body);
  assert.deepEqual(await list({}), ['a']);
  assert.deepEqual(await list({ include_descendant_groups: true }), ['a', 'b']);
  assert.deepEqual(await list({ only_group_labels: false }), ['a', 'c']);
  const all = { include_descendant_groups: true, only_group_labels: false };
  assert.deepEqual(await list(all), ['a', 'b', 'c', 'd']);
  assert.deepEqual(await list({ ...all, search: 'About d' }), ['d']);
  const outsider = await here.user();
  assert.equal((await outsider.get(path, all)).status, 404);
  assert.equal((await group.guest.get(`${path}/d`)).status, 404);
  assert.equal((await group.guest.get(`${path}/d`, all)).body.name, 'd');
  await newLabels(project, 'd');
  const [oldest] = (await group.guest.get(path, { ...all, search: 'About d' })).body;
  assert.equal((await group.guest.get(`${path}/d`, all)).body.id, oldest.id);
});

test('shows whether a label is the project’s own', async () => {
  const group = await here.newGroup();
  const project = await here.newProject({ in: group });
  await newLabels(group, 'of group');
  await newLabels(project, 'of project');
  const { body } = await project.owner.get(`${project.at}/labels`);
  const fields = body.map(({ name, is_project_label }: Named & { is_project_label: boolean }) => [
    name,
    is_project_label,
  ]);
  assert.deepEqual(fields, [
    ['of group', false],
    ['of project', true],
  ]);
});

test('searches for labels with all words in the title or all in the description', async () => {
  const { project, owner } = await here.newProject().then((project) => ({ project, owner: project.owner }));
  await newLabels(project, 'To do', 'Doing', 'Done');
  const search = async (words: string) => names((await owner.get(`${project.at}/labels`, { search: words })).body);
  assert.deepEqual(await search('do'), ['Doing', 'Done', 'To do']);
  assert.deepEqual(await search('DO to'), ['To do']);
  assert.deepEqual(await search('"about do"'), ['Doing', 'Done']);
  assert.deepEqual(await search('about "to do"'), ['To do']);
  assert.deepEqual(await search('100%'), []);
  assert.deepEqual(await search('  '), ['Doing', 'Done', 'To do']);
});

test('counts listed labels in pages and totals', async () => {
  const project = await here.newProject();
  await newLabels(project, 'a', 'b', 'c');
  const { body, headers } = await project.owner.get(`${project.at}/labels`, { per_page: 2, page: 2 });
  assert.deepEqual([names(body), headers['x-total'], headers['x-next-page']], [['c'], '3', '']);
});

test('returns a label by id or title, including inherited ones', async () => {
  const group = await here.newGroup();
  const project = await here.newProject({ in: group });
  await newLabels(group, '12', 'two words / 100%');
  const read = (named: string | number, params = {}) =>
    project.owner.get(`${project.at}/labels/${encodeURIComponent(named)}`, params);
  const { body } = await read('two words / 100%');
  assert.equal(body.name, 'two words / 100%');
  assert.deepEqual((await read(body.id)).body, body);
  assert.equal((await read('12')).body.name, '12');
  for (const missing of [await read('Two words / 100%'), await read(99999999), await read('9'.repeat(30))]) {
    assert.deepEqual([missing.status, missing.body], [404, { message: '404 Label Not Found' }]);
  }
  assert.equal((await read(body.id, { include_ancestor_groups: false })).status, 404);
});

test('requires sign-in for labels of public projects and groups', async () => {
  const group = await here.newGroup({ visibility: 'public' });
  await newLabels(group, 'a');
  assert.equal((await here.anonymous.get(`${group.at}/labels`)).status, 401);
  assert.equal((await (await here.user()).get(`${group.at}/labels`)).status, 200);
});
