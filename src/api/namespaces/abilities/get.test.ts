import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#test/support/caller.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// `test/matrix.test.ts` compares the abilities of all roles with the responses of all endpoints.

const here = await world();
const { root, anonymous, user, newProject, newGroup, name } = here;

async function abilities(caller: Caller, at: string): Promise<readonly string[]> {
  return (await expectSuccess(caller.get(`${at}/abilities`))).body.abilities;
}

/** Returns the names that are in `before` and not in `after`. */
const lost = (before: readonly string[], after: readonly string[]) =>
  before.filter((ability) => !after.includes(ability));

test('names the abilities of a role in a project, sorted', async () => {
  const { at, guest, developer } = await newProject({ with: ['guest', 'developer'] });
  const ofDeveloper = await abilities(developer, at);
  assert.deepEqual(ofDeveloper, ofDeveloper.toSorted());
  assert.ok(ofDeveloper.includes('push_code'));
  assert.deepEqual(
    (await abilities(guest, at)).filter((ability) => ability.endsWith('_code')),
    [],
  );
});

test('answers 404 to callers who cannot see the project or group, and reads of public ones to anonymous callers', async () => {
  const hidden = [await newProject(), await newGroup()];
  const stranger = await user();
  for (const { at } of hidden) {
    for (const caller of [anonymous, stranger]) assert.equal((await caller.get(`${at}/abilities`)).status, 404);
  }
  const { at } = await newProject({ visibility: 'public' });
  const ofAnonymous = await abilities(anonymous, at);
  assert.deepEqual(
    ofAnonymous.filter((ability) => !/^(read|download)_/.test(ability)),
    [],
  );
  assert.ok(ofAnonymous.includes('read_code'));
});

test('an archived project takes exactly the abilities of which the endpoints then answer 403', async () => {
  const { at, owner } = await newProject({ readme: true });
  const writes: Readonly<Record<string, () => ReturnType<Caller['get']>>> = {
    push_code: () => owner.post(`${at}/repository/branches`, { branch: name('branch'), ref: 'main' }),
    create_issue: () => owner.post(`${at}/issues`, { title: 'x' }),
    admin_label: () => owner.post(`${at}/labels`, { name: name('label'), color: '#ff0000' }),
    create_pipeline: () => owner.post(`${at}/pipeline`, { ref: 'main' }),
    create_wiki: () => owner.post(`${at}/wikis`, { title: name('page'), content: 'x' }),
    create_environment: () => owner.post(`${at}/environments`, { name: name('environment') }),
    admin_variable: () => owner.post(`${at}/variables`, { key: name('V'), value: '1' }),
    update_project: () => owner.put(at, { description: 'x' }),
  };
  for (const change of ['archive', 'unarchive']) {
    await expectSuccess(owner.post(`${at}/${change}`));
    const held = await abilities(owner, at);
    for (const [ability, write] of Object.entries(writes))
      assert.equal((await write()).status !== 403, held.includes(ability), `${change}: ${ability}`);
  }
});

test('an archived group takes abilities of its projects too', async () => {
  const group = await newGroup();
  const { at } = await newProject({ in: group });
  const before = await abilities(group.owner, at);
  await expectSuccess(group.owner.post(`${group.at}/archive`));
  assert.ok(lost(before, await abilities(group.owner, at)).includes('push_code'));
  const ofGroup = await abilities(group.owner, group.at);
  for (const ability of ['create_project', 'create_subgroup', 'admin_label', 'admin_epic'])
    assert.ok(!ofGroup.includes(ability), ability);
});

test('a disabled feature takes the abilities that need it', async () => {
  const { at, owner } = await newProject();
  const before = await abilities(owner, at);
  await expectSuccess(owner.put(at, { wiki_access_level: 'disabled' }));
  assert.deepEqual(lost(before, await abilities(owner, at)), [
    'create_wiki',
    'delete_wiki',
    'download_wiki',
    'read_wiki',
  ]);
});

test('a read-only repository takes the abilities that write to it', async () => {
  const { at, owner } = await newProject();
  const before = await abilities(owner, at);
  await expectSuccess(root.put(at, { repository_read_only: true }));
  assert.deepEqual(lost(before, await abilities(owner, at)), ['create_wiki', 'delete_wiki', 'push_code']);
});

test('projects of a personal namespace have no iterations', async () => {
  const inGroup = await newProject({ in: await newGroup() });
  const personal = await newProject();
  for (const { at, owner } of [inGroup, personal]) {
    const { status } = await owner.get(`${at}/iterations`);
    assert.equal((await abilities(owner, at)).includes('read_iteration'), status === 200);
  }
});

test('the free tier takes the abilities of what it lacks', async () => {
  const free = await world({ env: { HEARTH_TIER: 'free' } });
  const group = await free.newGroup();
  const held = await abilities(group.owner, group.at);
  const reads = { read_epic: 'epics', read_iteration: 'iterations', read_wiki: 'wikis', read_milestone: 'milestones' };
  for (const [ability, path] of Object.entries(reads)) {
    const { status } = await group.owner.get(`${group.at}/${path}`);
    assert.equal(status === 200, held.includes(ability), ability);
  }
});

test('settings of a group decide who may create projects and subgroups in it', async () => {
  const { at, owner, maintainer } = await newGroup({ with: ['maintainer'] });
  const creations = async (caller: Caller) =>
    (await abilities(caller, at)).filter((ability) => ability === 'create_project' || ability === 'create_subgroup');
  await expectSuccess(owner.put(at, { project_creation_level: 'noone', subgroup_creation_level: 'owner' }));
  assert.deepEqual(await creations(maintainer), []);
  assert.deepEqual(await creations(owner), ['create_subgroup']);
  await expectSuccess(owner.put(at, { project_creation_level: 'maintainer', subgroup_creation_level: 'maintainer' }));
  assert.deepEqual(await creations(maintainer), ['create_project', 'create_subgroup']);
});

test('names what a user may do on the instance', async () => {
  const somebody = await user();
  assert.deepEqual(await abilities(somebody, '/user'), ['create_group', 'create_project']);
  assert.deepEqual(await abilities(root, '/user'), ['admin', 'create_group', 'create_project']);
  const { id } = (await expectSuccess(somebody.get('/user'))).body;
  await expectSuccess(root.put(`/users/${id}`, { can_create_group: false, projects_limit: 0 }));
  assert.deepEqual(await abilities(somebody, '/user'), []);
  assert.equal((await anonymous.get('/user/abilities')).status, 401);
});
