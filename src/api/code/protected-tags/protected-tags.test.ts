import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { root, user } = await world();

/** A project with a commit, a Maintainer and a Developer. */
async function newProject() {
  const { project, maintainer, developer } = await world({ project: { with: ['maintainer', 'developer'] } });
  await project.commit({ a: 'a' });
  return {
    ...project,
    maintainer,
    developer,
    rules: `${project.at}/protected_tags`,
    tags: `${project.repository}/tags`,
  };
}

const MAINTAINERS = { access_level: 40, access_level_description: 'Maintainers' };
const NOBODY_ELSE = { deploy_key_id: null, user_id: null, group_id: null };

/** Returns the body without the ids of the levels. */
const withoutIds = ({ name, create_access_levels }: { name: string; create_access_levels: { id: number }[] }) => ({
  name,
  create_access_levels: create_access_levels.map(({ id, ...level }) => level),
});

test('creates, lists, reads and deletes a rule', async () => {
  const { maintainer, rules } = await newProject();
  const created = await maintainer.post(rules, { name: 'v*' });
  const expected = { name: 'v*', create_access_levels: [{ ...MAINTAINERS, ...NOBODY_ELSE }] };
  assert.deepEqual([created.status, withoutIds(created.body)], [201, expected]);
  assert.deepEqual((await maintainer.get(rules)).body, [created.body]);
  assert.deepEqual((await maintainer.get(`${rules}/v*`)).body, created.body);
  assert.equal((await maintainer.delete(`${rules}/v*`)).status, 204);
  const gone = await maintainer.get(`${rules}/v*`);
  assert.deepEqual([gone.status, gone.body], [404, { message: '404 Not found' }]);
});

test('creates rules for several roles and for members, without duplicates', async () => {
  const { maintainer, developer, rules } = await newProject();
  const allowed_to_create = [{ user_id: developer.id }, { access_level: 60 }, { access_level: 30 }];
  const { body } = await maintainer.post(rules, { name: 'v1', create_access_level: 30, allowed_to_create });
  const levels = withoutIds(body).create_access_levels.map((level) => Object.values(level).slice(0, 2));
  assert.deepEqual(levels, [
    [30, 'Developers + Maintainers'],
    [40, `Name of ${developer.username}`],
    [60, 'Instance admins'],
  ]);
});

test('rejects invalid rules', async () => {
  const { maintainer, rules } = await newProject();
  await maintainer.post(rules, { name: 'v1' });
  const stranger = await user();
  const refusals: [params: Record<string, unknown>, status: number, body: object][] = [
    [{ name: 'v1' }, 422, { message: ['Name has already been taken'] }],
    [{ name: ' ' }, 422, { message: ["Name can't be blank"] }],
    [{}, 400, { error: 'name is missing' }],
    [{ name: 'x', create_access_level: 20 }, 400, { error: 'create_access_level does not have a valid value' }],
    [
      { name: 'x', allowed_to_create: [{ user_id: stranger.id }] },
      422,
      { message: ['Create access levels user is not a member of the project'] },
    ],
    [
      { name: 'x', allowed_to_create: [{ group_id: 1 }] },
      422,
      { message: ['Create access levels group does not have access to the project'] },
    ],
  ];
  for (const [params, status, body] of refusals) {
    const answer = await maintainer.post(rules, params);
    assert.deepEqual([answer.status, answer.body], [status, body]);
  }
});

test('only Maintainers read and change rules', async () => {
  const { developer, rules } = await newProject();
  assert.equal((await developer.get(rules)).status, 403);
  assert.equal((await developer.post(rules, { name: 'v*' })).status, 403);
});

const CREATION_REFUSED = { message: 'You are not allowed to create this tag as it is protected.' };

test('restricts the creation of tags over the API', async () => {
  const { maintainer, developer, rules, tags } = await newProject();
  await maintainer.post(rules, { name: 'v*' });
  await maintainer.post(rules, { name: '*-closed', create_access_level: 0 });
  const refused = await developer.post(tags, { tag_name: 'v1', ref: 'main' });
  assert.deepEqual([refused.status, refused.body], [400, CREATION_REFUSED]);
  assert.equal((await developer.post(tags, { tag_name: 'w1', ref: 'main' })).body.protected, false);
  const created = await maintainer.post(tags, { tag_name: 'v1', ref: 'main' });
  assert.deepEqual([created.status, created.body.protected], [201, true]);
  assert.deepEqual((await root.post(tags, { tag_name: 'x-closed', ref: 'main' })).body, CREATION_REFUSED);
  // One matching rule that admits the caller suffices.
  assert.equal((await maintainer.post(tags, { tag_name: 'v1-closed', ref: 'main' })).status, 201);
});

test('restricts the deletion of tags over the API to Maintainers', async () => {
  const { maintainer, developer, rules, tags } = await newProject();
  await maintainer.post(rules, { name: 'v*' });
  await maintainer.post(tags, { tag_name: 'v1', ref: 'main' });
  const refused = await developer.delete(`${tags}/v1`);
  const message =
    'You are not allowed to delete protected tags from this project. Only a project maintainer or owner can delete a protected tag.';
  assert.deepEqual([refused.status, refused.body], [400, { message }]);
  assert.equal((await maintainer.delete(`${tags}/v1`)).status, 204);
});

test('a rule for a user ends with the membership', async () => {
  const { maintainer, developer, rules, tags, at } = await newProject();
  await maintainer.post(rules, { name: 'v*', allowed_to_create: [{ user_id: developer.id }] });
  assert.equal((await developer.post(tags, { tag_name: 'v1', ref: 'main' })).status, 201);
  await maintainer.delete(`${at}/members/${developer.id}`);
  assert.deepEqual((await maintainer.get(`${rules}/v*`)).body.create_access_levels, []);
  await maintainer.post(`${at}/members`, { user_id: developer.id, access_level: 30 });
  assert.deepEqual((await developer.post(tags, { tag_name: 'v2', ref: 'main' })).body, CREATION_REFUSED);
});

test('pipelines of protected tags are protected and need the permission to create the tag', async () => {
  const { maintainer, developer, rules, tags, at, commit } = await newProject();
  await commit({ '.gitlab-ci.yml': 'unit: {script: make}\n' });
  await maintainer.post(rules, { name: 'v*' });
  for (const tag_name of ['v1', 'w1']) await maintainer.post(tags, { tag_name, ref: 'main' });
  const refused = await developer.post(`${at}/pipeline`, { ref: 'v1' });
  assert.equal(refused.status, 400, refused.text);
  assert.equal((await developer.post(`${at}/pipeline`, { ref: 'w1' })).status, 201);
  const { id } = (await maintainer.post(`${at}/pipeline`, { ref: 'v1' })).body;
  const { server } = await world();
  const pipeline = server.services.database.reader.selectFrom('pipelines').select('protected').where('id', '=', id);
  assert.deepEqual(await pipeline.executeTakeFirst(), { protected: true });
});
