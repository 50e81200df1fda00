import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { root, user, newGroup, newProject, name, server, runJobs } = await world();

interface Owner {
  readonly kind: 'users' | 'projects' | 'groups';
  readonly id: number;
}

async function newOwners(): Promise<Owner[]> {
  const [mira, group] = [await user(), await newGroup()];
  const project = await newProject({ in: group });
  return [
    { kind: 'users', id: mira.id },
    { kind: 'projects', id: project.id },
    { kind: 'groups', id: group.id },
  ];
}

const at = ({ kind, id }: Owner) => `/${kind}/${id}/custom_attributes`;

test('sets, replaces, lists and deletes attributes', async () => {
  for (const owner of await newOwners()) {
    const city = await root.put(`${at(owner)}/city`, { value: 'Bern' });
    assert.deepEqual([city.status, city.body], [200, { key: 'city', value: 'Bern' }], owner.kind);
    await root.put(`${at(owner)}/a b`.replace(' ', '%20'), { value: '2' });
    await root.put(`${at(owner)}/city`, { value: 'Graz' });
    const [graz, two] = [
      { key: 'city', value: 'Graz' },
      { key: 'a b', value: '2' },
    ];
    assert.deepEqual((await root.get(at(owner))).body, [graz, two]);
    assert.deepEqual((await root.get(`${at(owner)}/city`)).body, graz);
    assert.equal((await root.delete(`${at(owner)}/city`)).status, 204);
    assert.deepEqual((await root.get(at(owner))).body, [two]);
  }
});

test('answers 404 for unknown keys and owners, and 400 without a value', async () => {
  for (const owner of await newOwners()) {
    for (const method of ['GET', 'DELETE'] as const) {
      const { status, body } = await root.send(method, `${at(owner)}/none`);
      assert.deepEqual([status, body], [404, { message: '404 Not found' }]);
    }
    assert.deepEqual((await root.put(`${at(owner)}/city`)).body, { error: 'value is missing' });
    const blank = await root.put(`${at(owner)}/city`, { value: ' ' });
    assert.deepEqual([blank.status, blank.body], [400, { message: { value: ["can't be blank"] } }]);
    const noun = { users: 'User', projects: 'Project', groups: 'Group' }[owner.kind];
    const { status, body } = await root.get(at({ ...owner, id: 99_999_999 }));
    assert.deepEqual([status, body], [404, { message: `404 ${noun} Not Found` }]);
  }
});

test('is for administrators only', async () => {
  const mira = await user();
  for (const owner of await newOwners()) {
    assert.equal((await mira.get(at(owner))).status, 403);
    assert.equal((await mira.put(`${at(owner)}/city`, { value: 'Bern' })).status, 403);
  }
});

test('shows the attributes in reads and lists on request', async () => {
  for (const owner of await newOwners()) {
    const [path, city] = [`/${owner.kind}/${owner.id}`, name('city')];
    await root.put(`${at(owner)}/city`, { value: city });
    const attributes = [{ key: 'city', value: city }];
    assert.deepEqual((await root.get(path, { with_custom_attributes: true })).body.custom_attributes, attributes);
    assert.equal('custom_attributes' in (await root.get(path)).body, false);
    const params = { 'custom_attributes[city]': city, with_custom_attributes: true };
    const { body } = await root.get(`/${owner.kind}`, params);
    assert.deepEqual(body.map(shown), [[owner.id, attributes]]);
  }
});

const shown = ({ id, custom_attributes }: { id: number; custom_attributes: unknown }) => [id, custom_attributes];

test('filters lists by all attributes of the filter, with their whole values', async () => {
  const long = 'x'.repeat(150);
  for (const owner of await newOwners()) {
    const key = name('key');
    await root.put(`${at(owner)}/${key}`, { value: long });
    await root.put(`${at(owner)}/other`, { value: key });
    const find = async (params: Record<string, string>) => {
      const attributes = Object.entries(params).map(([name, value]) => [`custom_attributes[${name}]`, value]);
      return (await root.get(`/${owner.kind}`, Object.fromEntries(attributes))).body.map((row: Owner) => row.id);
    };
    assert.deepEqual(await find({ [key]: long, other: key }), [owner.id]);
    assert.deepEqual(await find({ [key]: `${long}y` }), []);
    assert.deepEqual(await find({ [key]: long, other: 'x' }), []);
  }
});

test('ignores filter and request of callers who are not administrators', async () => {
  const group = await newGroup();
  await root.put(`/groups/${group.id}/custom_attributes/city`, { value: 'Bern' });
  const params = { 'custom_attributes[city]': name('none'), with_custom_attributes: true };
  const { body } = await group.owner.get('/groups', params);
  assert.deepEqual(body.map(shown), [[group.id, undefined]]);
  assert.equal('custom_attributes' in (await group.owner.get(group.at, params)).body, false);
  assert.equal((await group.owner.get('/users', params)).body.length > 0, true);
  assert.equal((await group.owner.get('/projects', params)).status, 200);
});

test('rejects filters that are no objects or have too many conditions', async () => {
  assert.deepEqual((await root.get('/users', { custom_attributes: 'x' })).body, {
    error: 'custom_attributes is invalid',
  });
  const many = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`custom_attributes[k${index}]`, 'x']));
  assert.deepEqual((await root.get('/projects', many)).body, {
    error: 'custom_attributes is too long (maximum is 10 elements)',
  });
});

test('lists of a group and of a user filter by attributes too', async () => {
  const group = await newGroup();
  const [subgroup, project] = [await newGroup({ in: group }), await newProject({ in: group })];
  await newProject({ in: group });
  await root.put(`/groups/${subgroup.id}/custom_attributes/city`, { value: 'Bern' });
  await root.put(`/projects/${project.id}/custom_attributes/city`, { value: 'Bern' });
  const params = { 'custom_attributes[city]': 'Bern', with_custom_attributes: true };
  const attributes = [{ key: 'city', value: 'Bern' }];
  for (const list of ['subgroups', 'descendant_groups']) {
    assert.deepEqual((await root.get(`${group.at}/${list}`, params)).body.map(shown), [[subgroup.id, attributes]]);
  }
  const { body } = await root.get(`${group.at}/projects`, { ...params, simple: true });
  assert.deepEqual(body.map(shown), [[project.id, attributes]]);
});

test('attributes go with their owner', async () => {
  const [mira, project] = [await user(), await newProject()];
  await root.put(`/users/${mira.id}/custom_attributes/city`, { value: 'Bern' });
  await root.put(`${project.at}/custom_attributes/city`, { value: 'Bern' });
  const count = async () => {
    const query = server.services.database.reader.selectFrom('custom_attributes').select('id');
    const rows = await query
      .where((eb) => eb.or([eb('user_id', '=', mira.id), eb('project_id', '=', project.id)]))
      .execute();
    return rows.length;
  };
  assert.equal(await count(), 2);
  await root.delete(`/users/${mira.id}`, { hard_delete: true });
  await root.delete(project.at);
  const { path_with_namespace } = (await root.get(project.at)).body;
  await root.delete(project.at, { permanently_remove: true, full_path: path_with_namespace });
  await runJobs();
  assert.equal(await count(), 0);
});
