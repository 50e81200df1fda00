import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';

const { root, anonymous, user, server } = await world();

const tagNames = async (caller: Caller, tags: string) =>
  (await caller.get(tags)).body.map((tag: { name: string }) => tag.name);

test('creates, lists, rejects and deletes lightweight and annotated tags', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const url = `${project.repository}/tags`;
  const light = await owner.post(url, { tag_name: 'v1.9', ref: 'main' });
  assert.equal(light.status, 201);
  assert.deepEqual([light.body.message, light.body.created_at], ['', null]);
  assert.equal(light.body.target, light.body.commit.id);
  const annotated = await owner.post(url, { tag_name: 'v1.10', ref: 'main', message: 'Ten' });
  assert.equal(annotated.body.message, 'Ten');
  assert.notEqual(annotated.body.target, annotated.body.commit.id);
  const listed = await owner.get(url, { order_by: 'version', sort: 'asc' });
  assert.deepEqual(
    listed.body.map((tag: { name: string }) => tag.name),
    ['v1.9', 'v1.10'],
  );
  const refused = async (tag_name: string, ref = 'main') => (await owner.post(url, { tag_name, ref })).body.message;
  assert.equal(await refused('a b'), 'Tag name invalid');
  assert.equal(await refused('v1.9'), 'Tag v1.9 already exists');
  assert.equal(await refused('n', 'nothing'), 'Target nothing is invalid');
  assert.equal(await refused('main'), 'You cannot use default branch name to create a tag');
  for (const id of ['a'.repeat(40), 'A'.repeat(40), 'a'.repeat(64)])
    assert.equal(await refused(id), 'You cannot create a tag with a SHA-1 or SHA-256 tag name.');
  assert.equal((await owner.post(url, { tag_name: 'a'.repeat(41), ref: 'main' })).status, 201);
  assert.equal((await owner.delete(`${url}/v1.9`)).status, 204);
  assert.deepEqual((await owner.get(`${url}/v1.9`)).body, { message: '404 Tag Not Found' });
});

test('requires a Developer to create and delete tags', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const tags = `${project.repository}/tags`;
  await owner.post(tags, { tag_name: 'kept', ref: 'main' });
  const refused: [Caller, number][] = [
    [anonymous, 404],
    [await user(), 404],
    [await project.addMember('guest'), 403],
    [await project.addMember('reporter'), 403],
  ];
  for (const [caller, status] of refused) {
    assert.equal((await caller.post(tags, { tag_name: 'v1', ref: 'main' })).status, status);
    assert.equal((await caller.delete(`${tags}/kept`)).status, status);
  }
  await owner.put(project.at, { visibility: 'public' });
  assert.deepEqual((await anonymous.delete(`${tags}/kept`)).body, { message: '401 Unauthorized' });
  assert.deepEqual((await (await user()).delete(`${tags}/kept`)).body, { message: '403 Forbidden' });
  assert.deepEqual(await tagNames(anonymous, tags), ['kept']);
  const developer = await project.addMember('developer');
  assert.equal((await developer.post(tags, { tag_name: 'a/b.json', ref: 'main' })).status, 201);
  assert.equal((await anonymous.head(`${tags}/a%2Fb.json`)).status, 200);
  assert.equal((await developer.delete(`${tags}/a%2Fb.json`)).status, 204);
  assert.equal((await developer.delete(`${tags}/a%2Fb.json`)).status, 404);
});

test('rejects new tags in read-only and archived repositories', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const tags = `${project.repository}/tags`;
  await owner.post(tags, { tag_name: 'kept', ref: 'main' });
  const attempts = async (caller: Caller) =>
    [await caller.post(tags, { tag_name: 'v1', ref: 'main' }), await caller.delete(`${tags}/kept`)].map(
      ({ status, body }) => `${status} ${body.message}`,
    );
  await root.put(project.at, { repository_read_only: true });
  const text = '400 The repository is temporarily read-only. Please try again later.';
  assert.deepEqual(await attempts(owner), [text, text]);
  await root.put(project.at, { repository_read_only: false });
  await owner.post(`${project.at}/archive`);
  assert.deepEqual(await attempts(root), ['403 403 Forbidden', '403 403 Forbidden']);
  assert.deepEqual(await tagNames(owner, tags), ['kept']);
});

test('lets one of two concurrent requests create or delete a tag, with one push event each', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const tags = `${project.repository}/tags`;
  const tip = (await owner.get(`${project.repository}/branches/main`)).body.commit.id;
  const created = await Promise.all([1, 2].map(() => owner.post(tags, { tag_name: 'race', ref: 'main' })));
  assert.deepEqual(created.map(({ status }) => status).sort(), [201, 400]);
  assert.equal(created.find(({ status }) => status === 400)?.body.message, 'Tag race already exists');
  const response = await Promise.all([1, 2].map(() => owner.delete(`${tags}/race`)));
  assert.deepEqual(response.map(({ status }) => status).sort(), [204, 404]);
  const events = await server.services.database.reader
    .selectFrom('activity_events')
    .select(['action_name', 'push_action', 'ref', 'commit_from', 'commit_to', 'author_id'])
    .where('project_id', '=', project.id)
    .where('ref_type', '=', 'tag')
    .orderBy('id')
    .execute();
  const of = { ref: 'race', author_id: owner.id };
  assert.deepEqual(events, [
    { ...of, action_name: 'pushed new', push_action: 'created', commit_from: null, commit_to: tip },
    { ...of, action_name: 'deleted', push_action: 'removed', commit_from: tip, commit_to: null },
  ]);
});

test('rejects a blank name or ref', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  for (const params of [
    { tag_name: '', ref: 'main' },
    { tag_name: ' ', ref: 'main' },
    { tag_name: 'v1', ref: '' },
  ]) {
    const { status, body } = await owner.post(`${project.repository}/tags`, params);
    assert.deepEqual([status, body], [400, { message: 'Tag name invalid' }]);
  }
});

test('lists no tags in an empty repository and rejects new ones', async () => {
  const { project, owner } = await world({ project: { readme: false } });
  const tags = `${project.repository}/tags`;
  assert.deepEqual((await owner.get(tags)).body, []);
  assert.deepEqual((await owner.get(`${tags}/v1`)).body, { message: '404 Tag Not Found' });
  assert.deepEqual((await owner.post(tags, { tag_name: 'v1', ref: 'main' })).body, {
    message: 'Target main is invalid',
  });
  assert.deepEqual((await owner.post(tags, {})).body, {
    error: 'tag_name is missing, ref is missing',
  });
});
