import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { detachProjects } from './store.ts';

const { root, user, anonymous, newGroup, newProject, name, runJobs, server } = await world();

interface Topic {
  readonly id: number;
  readonly name: string;
  readonly total_projects_count: number;
}

async function newTopic(params = {}): Promise<Topic> {
  return (await expectSuccess(root.post('/topics', { name: name('topic'), title: 'A topic', ...params }))).body;
}

const find = async (search: string): Promise<Topic[]> => (await anonymous.get('/topics', { search })).body;
const countOf = async ({ id }: Topic) => (await anonymous.get(`/topics/${id}`)).body.total_projects_count;

test('creates, reads, updates and deletes a topic', async () => {
  const title = name('title');
  const created = await root.post('/topics', { name: ` ${title}-x `, title, description: 'All' });
  const { id, ...topic } = created.body;
  const expected = {
    ...{ name: `${title}-x`, title, description: 'All', total_projects_count: 0 },
    ...{ organization_id: 1, avatar_url: null },
  };
  assert.deepEqual([created.status, topic], [201, expected]);
  assert.deepEqual((await anonymous.get(`/topics/${id}`)).body, created.body);
  const updated = await root.put(`/topics/${id}`, { name: `${title}-y`, description: '' });
  assert.deepEqual([updated.status, updated.body], [200, { id, ...expected, name: `${title}-y`, description: '' }]);
  assert.deepEqual((await root.put(`/topics/${id}`)).body, updated.body);
  assert.equal((await root.delete(`/topics/${id}`)).status, 204);
  const gone = await anonymous.get(`/topics/${id}`);
  assert.deepEqual([gone.status, gone.body], [404, { message: '404 Not found' }]);
});

const INVALID: readonly [params: Record<string, string>, errors: Record<string, string[]>][] = [
  [{ name: ' ' }, { name: ["can't be blank"] }],
  [{ name: 'x'.repeat(256) }, { name: ['is too long (maximum is 255 characters)'] }],
  [{ name: 'a\nb' }, { name: ['has characters that are not allowed'] }],
  [{ title: '' }, { title: ["can't be blank"] }],
  [{ title: 'x'.repeat(256) }, { title: ['is too long (maximum is 255 characters)'] }],
  [{ description: 'x'.repeat(1025) }, { description: ['is too long (maximum is 1024 characters)'] }],
];

test('rejects invalid values of new and existing topics', async () => {
  const { id } = await newTopic();
  for (const [params, message] of INVALID) {
    const created = await root.post('/topics', { name: name('topic'), title: 'A topic', ...params });
    assert.deepEqual([created.status, created.body], [400, { message }]);
    const updated = await root.put(`/topics/${id}`, params);
    assert.deepEqual([updated.status, updated.body], [400, { message }]);
  }
  assert.deepEqual((await root.post('/topics')).body, { error: 'name is missing, title is missing' });
  const picture = await root.put(`/topics/${id}`, { avatar: 'x' });
  assert.deepEqual(picture.body, { error: 'avatar is not supported' });
});

test('rejects a name that another topic has in any case', async () => {
  const [topic, other] = [await newTopic(), await newTopic()];
  const message = { name: ['has already been taken'] };
  const taken = await root.post('/topics', { name: topic.name.toUpperCase(), title: 'x' });
  assert.deepEqual([taken.status, taken.body], [400, { message }]);
  assert.deepEqual((await root.put(`/topics/${other.id}`, { name: topic.name.toUpperCase() })).body, { message });
});

test('only administrators change topics', async () => {
  const [mira, { id }] = [await user(), await newTopic()];
  for (const [method, path] of [
    ['POST', '/topics'],
    ['PUT', `/topics/${id}`],
    ['DELETE', `/topics/${id}`],
    ['POST', '/topics/merge'],
  ] as const) {
    const params = { name: 'x', title: 'x', source_topic_id: id, target_topic_id: id };
    assert.equal((await mira.send(method, path, { params })).status, 403, path);
    assert.equal((await anonymous.send(method, path, { params })).status, 401, path);
  }
});

test('the topics of projects appear in the list, with the number of projects', async () => {
  const word = name('word');
  const project = await newProject({ topics: [`${word} B`, ` ${word} a `, `${word} b`, ''] });
  const other = await newProject({ owner: project.owner, topics: `${word} b` });
  assert.deepEqual((await project.owner.get(project.at)).body.topics, [`${word} B`, `${word} a`]);
  assert.deepEqual((await project.owner.get(other.at)).body.tag_list, [`${word} B`]);
  const listed = (await find(word)).map((topic) => [topic.name, topic.total_projects_count]);
  assert.deepEqual(listed, [
    [`${word} B`, 2],
    [`${word} a`, 1],
  ]);
});

test('changes, moves and deletions of projects change the counts', async () => {
  const topic = await newTopic();
  const project = await newProject({ topics: topic.name });
  assert.equal(await countOf(topic), 1);
  await project.owner.put(project.at, { description: 'x' });
  assert.equal(await countOf(topic), 1);
  await project.owner.put(project.at, { topics: [] });
  assert.equal(await countOf(topic), 0);
  await project.owner.put(project.at, { topics: [topic.name] });
  await root.delete(project.at);
  const { path_with_namespace } = (await root.get(project.at)).body;
  await root.delete(project.at, { permanently_remove: true, full_path: path_with_namespace });
  await runJobs();
  assert.equal(await countOf(topic), 0);
});

test('lists the topics that most internal and public projects have first', async () => {
  const word = name('word');
  const [a, b, c] = [`${word} a`, `${word} b`, `${word} c`];
  const names = async () => (await find(word)).map((topic) => topic.name);
  const group = await newGroup({ visibility: 'public' });
  await newProject({ in: group, visibility: 'private', topics: [a, b] });
  await newProject({ in: group, visibility: 'public', topics: [b, c] });
  const internal = await newProject({ in: group, visibility: 'internal', topics: [c] });
  assert.deepEqual(await names(), [c, b, a]);
  await group.owner.put(internal.at, { visibility: 'private' });
  assert.deepEqual(await names(), [b, c, a]);
  await group.owner.put(internal.at, { visibility: 'public', topics: [a, c] });
  assert.deepEqual(await names(), [c, a, b]);
});

test('finds topics by all words in name or title, exact names and prefixes first', async () => {
  const word = name('word');
  await newTopic({ name: `the ${word}`, title: 'A first' });
  await newTopic({ name: `${word} first`, title: 'x' });
  await newTopic({ name: word, title: 'x' });
  await newTopic({ title: `First ${word.toUpperCase()}`, name: name('y') });
  const titlesAndNames = (await find(word)).map((topic) => topic.name);
  assert.deepEqual(titlesAndNames.slice(0, 3), [word, `${word} first`, `the ${word}`]);
  assert.equal(titlesAndNames.length, 4);
  assert.equal((await find(` FIRST  ${word} `)).length, 3);
});

test('lists topics without projects on request', async () => {
  const word = name('word');
  await newProject({ topics: `${word} used` });
  const unused = await newTopic({ name: `${word} unused` });
  const { body } = await anonymous.get('/topics', { search: word, without_projects: true });
  assert.deepEqual(
    body.map(({ id }: Topic) => id),
    [unused.id],
  );
});

test('projects get the new name of a topic and lose a deleted one', async () => {
  const project = await newProject({ topics: [name('first'), name('second')] });
  const [first, second] = (await project.owner.get(project.at)).body.topics;
  const [topic] = await find(first);
  const newName = name('third');
  await root.put(`/topics/${topic!.id}`, { name: newName });
  assert.deepEqual((await project.owner.get(project.at)).body.topics, [newName, second]);
  assert.equal((await project.owner.get('/projects', { topic: first })).body.length, 0);
  await root.delete(`/topics/${topic!.id}`);
  assert.deepEqual((await project.owner.get(project.at)).body.topics, [second]);
});

test('merges a topic into another', async () => {
  const [source, target] = [await newTopic(), await newTopic()];
  const both = await newProject({ topics: [source.name, target.name] });
  const one = await newProject({ topics: [source.name] });
  const params = { source_topic_id: source.id, target_topic_id: target.id };
  const { status, body } = await root.post('/topics/merge', params);
  assert.deepEqual([status, body], [201, { ...target, total_projects_count: 2 }]);
  for (const project of [both, one]) {
    assert.deepEqual((await project.owner.get(project.at)).body.topics, [target.name]);
  }
  const again = await root.post('/topics/merge', params);
  assert.deepEqual([again.status, again.body], [404, { message: '404 Not found' }]);
  const same = await root.post('/topics/merge', { source_topic_id: target.id, target_topic_id: target.id });
  assert.deepEqual(
    [same.status, same.body],
    [400, { message: 'The source topic and the target topic are identical.' }],
  );
});

test('lists of projects filter by the id of a topic', async () => {
  const topic = await newTopic();
  const project = await newProject({ topics: topic.name });
  const { body } = await project.owner.get('/projects', { topic_id: topic.id });
  assert.deepEqual(
    body.map(({ id }: { id: number }) => id),
    [project.id],
  );
  assert.deepEqual((await project.owner.get('/projects', { topic_id: topic.id + 1_000_000 })).body, []);
});

test('concurrent projects share a new topic', async () => {
  const [mira, topic] = [await user(), name('topic')];
  const projects = Array.from({ length: 6 }, () => newProject({ owner: mira, topics: topic }));
  await Promise.all(projects);
  const topics = (await find(topic)).map(({ total_projects_count }) => total_projects_count);
  assert.deepEqual(topics, [6]);
});

test('moves a limited number of projects from one topic to another at a time', async () => {
  const [source, target] = [await newTopic(), await newTopic()];
  const projects = [await newProject(), await newProject(), await newProject()];
  for (const { at, owner } of projects) await expectSuccess(owner.put(at, { topics: source.name }));
  const { database } = server.services;
  const detachTwo = () => database.transaction((tx) => detachProjects(tx, source.id, target.id, 2));
  assert.deepEqual([await detachTwo(), await countOf(source), await countOf(target)], [2, 1, 2]);
  assert.deepEqual([await detachTwo(), await countOf(source), await countOf(target)], [1, 0, 3]);
});
