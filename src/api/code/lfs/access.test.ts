import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic } from '#test/examples/scene.ts';
import { type Caller, world } from '#test/support/world.ts';
import { createContent, downloadObject, requestBatch, toReference, uploadObject } from './client.testing.ts';

const { anonymous, user, tokenOf, withToken, newProject, newGroup } = await world();

test('requires read access for downloads and push access for uploads', async () => {
  const project = await newProject({ with: ['guest', 'reporter', 'developer'] });
  const content = createContent();
  await uploadObject(project.owner, project, content);
  const { guest, reporter, developer } = project;
  const stranger = await user();
  const requestAs = async (caller: Caller) => [
    (await requestBatch(caller, project, 'download', [toReference(content)])).status,
    (await downloadObject(caller, project, content.oid)).status,
    (await requestBatch(caller, project, 'upload', [toReference(content)])).status,
    (await uploadObject(caller, project, content)).status,
  ];
  assert.deepEqual(await requestAs(anonymous), [401, 401, 401, 401]);
  assert.deepEqual(await requestAs(stranger), [404, 404, 404, 404]);
  assert.deepEqual(await requestAs(guest), [403, 403, 403, 403]);
  assert.deepEqual(await requestAs(reporter), [200, 200, 403, 403]);
  assert.deepEqual(await requestAs(developer), [200, 200, 200, 200]);
  const reading = await tokenOf(developer, ['read_repository']);
  assert.deepEqual(await requestAs(reading), [200, 200, 403, 403]);
  assert.deepEqual(await requestAs(await tokenOf(developer, ['read_user'])), [403, 403, 403, 403]);
  assert.deepEqual(await requestAs(withToken(developer, 'glpat-wrong')), [401, 401, 401, 401]);
});

test('serves public objects without credentials', async () => {
  const project = await newProject({ visibility: 'public' });
  const content = createContent();
  await uploadObject(project.owner, project, content);
  const { objects } = JSON.parse((await requestBatch(anonymous, project, 'download', [toReference(content)])).text);
  assert.equal(objects[0].actions.download.header, undefined);
  assert.equal((await downloadObject(anonymous, project, content.oid)).status, 200);
  const refusal = await requestBatch(anonymous, project, 'upload', [toReference(content)]);
  assert.deepEqual([refusal.status, refusal.headers['www-authenticate']], [401, 'Basic realm="Hearth"']);
});

test('disables LFS in all projects of a group with LFS disabled', async () => {
  const { group, owner } = await world({ group: {} });
  const subgroup = await newGroup({ owner, parent_id: group.id });
  const project = await newProject({ in: subgroup });
  const content = createContent();
  await uploadObject(owner, project, content);
  assert.equal((await owner.put(group.at, { lfs_enabled: false })).body.lfs_enabled, false);
  assert.equal((await requestBatch(owner, project, 'download', [toReference(content)])).status, 404);
  assert.equal((await downloadObject(owner, project, content.oid)).status, 404);
  assert.equal((await uploadObject(owner, project, content)).status, 404);
  await owner.put(group.at, { lfs_enabled: true });
  assert.equal((await downloadObject(owner, project, content.oid)).status, 200);
});

test('returns 404 where LFS is disabled', async () => {
  const project = await newProject();
  const content = createContent();
  await uploadObject(project.owner, project, content);
  await project.owner.put(project.at, { lfs_enabled: false });
  assert.equal((await requestBatch(project.owner, project, 'download', [toReference(content)])).status, 404);
  assert.equal((await downloadObject(project.owner, project, content.oid)).status, 404);
  assert.equal((await uploadObject(project.owner, project, content)).status, 404);
});

test('accepts addresses without .git, with the same checks', async () => {
  const project = await newProject({ with: ['reporter'] });
  const { owner, reporter, path_with_namespace: path } = project;
  const content = createContent();
  const short = (suffix: string) => `//${path}/${suffix}`;
  const as = (caller: Caller) => ({ headers: { ...basic(caller), 'Content-Type': 'application/vnd.git-lfs+json' } });
  const raw = JSON.stringify({ operation: 'upload', objects: [toReference(content)] });
  const batch = await anonymous.send('POST', short('info/lfs/objects/batch'), { ...as(owner), raw });
  const { href } = JSON.parse(batch.text).objects[0].actions.upload;
  assert.ok(href.endsWith(`/${path}.git/gitlab-lfs/objects/${content.oid}/${content.size}`), href);
  const upload = short(`gitlab-lfs/objects/${content.oid}/${content.size}`);
  assert.equal((await anonymous.send('PUT', upload, { ...as(reporter), raw: content.bytes })).status, 403);
  assert.equal((await anonymous.send('PUT', upload, { ...as(owner), raw: content.bytes })).status, 200);
  const download = short(`gitlab-lfs/objects/${content.oid}`);
  assert.equal((await anonymous.send('GET', download, as(reporter))).text, content.bytes.toString());
});
