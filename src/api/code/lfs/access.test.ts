import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';
import { batch, get, newContent, put, wanted } from './client.testing.ts';

const { anonymous, user, tokenOf, withToken, newProject, newGroup } = await world();

test('who may do what: reading as code is read, writing as code is pushed', async () => {
  const project = await newProject({ with: ['guest', 'reporter', 'developer'] });
  const content = newContent();
  await put(project.owner, project, content);
  const { guest, reporter, developer } = project;
  const stranger = await user();
  const asked = async (caller: Caller) => [
    (await batch(caller, project, 'download', [wanted(content)])).status,
    (await get(caller, project, content.oid)).status,
    (await batch(caller, project, 'upload', [wanted(content)])).status,
    (await put(caller, project, content)).status,
  ];
  assert.deepEqual(await asked(anonymous), [401, 401, 401, 401]);
  assert.deepEqual(await asked(stranger), [404, 404, 404, 404]);
  assert.deepEqual(await asked(guest), [403, 403, 403, 403]);
  assert.deepEqual(await asked(reporter), [200, 200, 403, 403]);
  assert.deepEqual(await asked(developer), [200, 200, 200, 200]);
  const reading = await tokenOf(developer, ['read_repository']);
  assert.deepEqual(await asked(reading), [200, 200, 403, 403]);
  assert.deepEqual(await asked(await tokenOf(developer, ['read_user'])), [403, 403, 403, 403]);
  assert.deepEqual(await asked(withToken(developer, 'glpat-wrong')), [401, 401, 401, 401]);
});

test('everybody reads what is public, without a word about credentials', async () => {
  const project = await newProject({ visibility: 'public' });
  const content = newContent();
  await put(project.owner, project, content);
  const { objects } = JSON.parse((await batch(anonymous, project, 'download', [wanted(content)])).text);
  assert.equal(objects[0].actions.download.header, undefined);
  assert.equal((await get(anonymous, project, content.oid)).status, 200);
  const refusal = await batch(anonymous, project, 'upload', [wanted(content)]);
  assert.deepEqual([refusal.status, refusal.headers['www-authenticate']], [401, 'Basic realm="Hearth"']);
});

test('a group that has LFS off has none in all projects below it, until it is on again', async () => {
  const { group, owner } = await world({ group: {} });
  const subgroup = await newGroup({ owner, parent_id: group.id });
  const project = await newProject({ in: subgroup });
  const content = newContent();
  await put(owner, project, content);
  assert.equal((await owner.put(group.at, { lfs_enabled: false })).body.lfs_enabled, false);
  assert.equal((await batch(owner, project, 'download', [wanted(content)])).status, 404);
  assert.equal((await get(owner, project, content.oid)).status, 404);
  assert.equal((await put(owner, project, content)).status, 404);
  await owner.put(group.at, { lfs_enabled: true });
  assert.equal((await get(owner, project, content.oid)).status, 200);
});

test('where LFS is off there is none', async () => {
  const project = await newProject();
  const content = newContent();
  await put(project.owner, project, content);
  await project.owner.put(project.at, { lfs_enabled: false });
  assert.equal((await batch(project.owner, project, 'download', [wanted(content)])).status, 404);
  assert.equal((await get(project.owner, project, content.oid)).status, 404);
  assert.equal((await put(project.owner, project, content)).status, 404);
});
