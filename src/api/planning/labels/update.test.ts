import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Project, world } from '#test/support/world.ts';

const here = await world();

async function newLabel({ at, owner }: Pick<Project, 'at' | 'owner'>, params = {}) {
  const { status, body } = await owner.post(`${at}/labels`, { name: here.name('Label'), color: 'red', ...params });
  assert.equal(status, 201);
  return body;
}

test('updates the given attributes and keeps the others', async () => {
  const project = await here.newProject();
  const label = await newLabel(project, { description: 'Old', priority: 3 });
  const put = async (params: object) =>
    (await project.owner.put(`${project.at}/labels/${label.id}`, { ...params })).body;
  const shown = { ...label, name: 'New', color: '#FFFFFF', text_color: '#1F1E24' };
  assert.deepEqual(await put({ new_name: 'New', color: 'white' }), shown);
  assert.deepEqual(await put({ description: '' }), { ...shown, description: '', description_html: '' });
  assert.deepEqual(await put({ priority: 0 }), { ...shown, description: '', description_html: '', priority: 0 });
  const last = { ...shown, description: null, description_html: '', priority: null, archived: true };
  assert.deepEqual(await put({ priority: null, archived: true, description: null }), last);
  assert.deepEqual((await project.owner.get(`${project.at}/labels/New`)).body, last);
});

test('accepts either the id or the title of a label in the body', async () => {
  const project = await here.newProject();
  const { id, name } = await newLabel(project);
  const put = (params: object) => project.owner.put(`${project.at}/labels`, { ...params });
  assert.equal((await put({ name, color: '#000' })).body.color, '#000000');
  assert.equal((await put({ label_id: id, color: '#111' })).body.color, '#111111');
  assert.deepEqual((await put({ color: '#000' })).body, {
    error: 'label_id, name are missing, exactly one parameter must be provided',
  });
  assert.deepEqual((await put({ name, label_id: id, color: '#000' })).body, {
    error: 'label_id, name are mutually exclusive',
  });
  assert.deepEqual((await put({ name: 'nothing', color: '#000' })).body, { message: '404 Label Not Found' });
  assert.equal((await project.owner.delete(`${project.at}/labels`, { name })).status, 204);
  assert.equal((await project.owner.get(`${project.at}/labels/${id}`)).status, 404);
});

test('requires at least one change', async () => {
  const group = await here.newGroup();
  const project = await here.newProject({ in: group });
  const text = 'are missing, at least one parameter must be provided';
  for (const [place, names] of [
    [project, 'new_name, color, description, priority, archived'],
    [group, 'new_name, color, description, archived'],
  ] as const) {
    const { id } = await newLabel(place);
    const { status, body } = await place.owner.put(`${place.at}/labels/${id}`);
    assert.deepEqual([status, body], [400, { error: `${names} ${text}` }]);
  }
});

test('rejects a taken title but accepts the label’s own', async () => {
  const group = await here.newGroup();
  const project = await here.newProject({ in: group });
  const [above, other, label] = [await newLabel(group), await newLabel(project), await newLabel(project)];
  const rename = (new_name: string) => project.owner.put(`${project.at}/labels/${label.id}`, { new_name });
  for (const { name } of [above, other]) {
    const { status, body } = await rename(name);
    assert.deepEqual([status, body], [409, { message: 'Label already exists' }]);
  }
  assert.equal((await rename(label.name)).status, 200);
  const blank = await rename(' ');
  assert.deepEqual(blank.body, { message: { title: ["can't be blank", 'is invalid'] } });
  assert.equal((await project.owner.get(`${project.at}/labels/${label.id}`)).body.name, label.name);
});

test('updates and deletes a group label in its group only', async () => {
  const group = await here.newGroup();
  const project = await here.newProject({ in: group });
  const { id, name } = await newLabel(group);
  const gone = [404, { message: '404 Label Not Found' }];
  const { owner } = project;
  const put = await owner.put(`${project.at}/labels/${id}`, { color: 'blue' });
  assert.deepEqual([put.status, put.body], gone);
  for (const answer of [
    await owner.delete(`${project.at}/labels/${encodeURIComponent(name)}`),
    await owner.delete(`${project.at}/labels`, { label_id: id }),
  ]) {
    assert.deepEqual([answer.status, answer.body], gone);
  }
  assert.equal((await owner.delete(`${group.at}/labels/${id}`)).status, 204);
  assert.equal((await owner.get(`${group.at}/labels/${id}`)).status, 404);
});

test('forbids Guests to update or delete labels', async () => {
  const { project, guest } = await world({ project: { with: ['guest'] } });
  const { id } = await newLabel(project);
  assert.equal((await guest.put(`${project.at}/labels/${id}`, { color: 'blue' })).status, 403);
  assert.equal((await guest.delete(`${project.at}/labels/${id}`)).status, 403);
  assert.equal((await guest.delete(`${project.at}/labels/99999999`)).status, 403);
  assert.equal((await guest.get(`${project.at}/labels/${id}`)).body.color, '#FF0000');
});
