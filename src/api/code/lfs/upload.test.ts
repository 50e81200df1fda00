import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic } from '#test/examples/scene.ts';
import { world } from '#test/support/world.ts';
import {
  callerWithoutToken,
  createContent,
  downloadObject,
  type LfsContent,
  requestBatch,
  toReference,
  uploadObject,
} from './client.testing.ts';

const { root, name, runJobs, clock, newProject } = await world();

function formatPointer({ oid, size }: LfsContent): string {
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;
}

test('returns 400 for a wrong hash or size and stores nothing', async () => {
  const project = await newProject();
  const content = createContent();
  for (const wrong of [
    { ...content, size: content.size + 1 },
    { ...content, size: content.size - 1 },
    { ...content, oid: 'f'.repeat(64) },
  ]) {
    const answer = await uploadObject(project.owner, project, wrong);
    assert.deepEqual([answer.status, answer.text], [400, 'SHA256 or size mismatch']);
    assert.equal((await downloadObject(project.owner, project, wrong.oid)).status, 404);
  }
  for (const path of [`${content.oid.slice(1)}/${content.size}`, `${content.oid}/many`, `${content.oid}/-1`]) {
    const url = `//${project.path_with_namespace}.git/gitlab-lfs/objects/${path}`;
    const answer = await callerWithoutToken.send('PUT', url, { raw: content.bytes, headers: basic(project.owner) });
    assert.equal(answer.status, 404, path);
  }
});

test('links a stored object only to projects that received it', async () => {
  const [one, other] = [await newProject(), await newProject()];
  const content = createContent();
  await uploadObject(one.owner, one, content);
  assert.equal((await downloadObject(other.owner, other, content.oid)).status, 404);
  const { objects } = JSON.parse((await requestBatch(other.owner, other, 'upload', [toReference(content)])).text);
  assert.ok(objects[0].actions.upload, 'a project without the object must upload its content');
  await uploadObject(other.owner, other, content);
  await one.owner.delete(`/projects/${one.id}`);
  await one.owner.delete(`/projects/${one.id}`, { permanently_remove: true, full_path: one.path_with_namespace });
  await runJobs();
  clock.advance(3 * 86_400);
  await runJobs();
  assert.deepEqual((await downloadObject(other.owner, other, content.oid)).bytes, content.bytes);
});

test('rejects uploads to read-only and archived repositories', async () => {
  const project = await newProject();
  await root.put(project.at, { repository_read_only: true });
  const first = await uploadObject(project.owner, project, createContent());
  assert.deepEqual(
    [first.status, first.text],
    [403, 'The repository is temporarily read-only. Please try again later.'],
  );
  await root.put(project.at, { repository_read_only: false });
  await project.owner.post(`${project.at}/archive`);
  const second = await uploadObject(project.owner, project, createContent());
  assert.deepEqual([second.status, second.text], [403, "You can't push code to an archived project."]);
});

test('accepts a pointer once its object exists', async () => {
  const project = await newProject();
  const content = createContent();
  const file = `${project.repository}/files/big.bin`;
  const commit = { branch: 'main', commit_message: 'Add', content: formatPointer(content) };
  const refusal = await project.owner.post(file, commit);
  assert.equal(refusal.status, 400);
  const text = 'LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".';
  assert.deepEqual(refusal.body, { message: text });
  assert.equal((await project.owner.get(project.at)).body.empty_repo, true);
  await uploadObject(project.owner, project, content);
  assert.equal((await project.owner.post(file, commit)).status, 201);
  const raw = await project.owner.get(`${file}/raw`, { ref: 'main' });
  assert.equal(raw.text, formatPointer(content));
  const whole = await project.owner.get(`${file}/raw`, { ref: 'main', lfs: true });
  assert.deepEqual(whole.bytes, content.bytes);
});

test('allows downloads but not uploads under the former path of a project', async () => {
  const project = await newProject();
  const { owner, id, path_with_namespace: path } = project;
  const [content, more] = [createContent(), createContent()];
  assert.equal((await uploadObject(owner, project, content)).status, 200);
  const { body } = await owner.put(`/projects/${id}`, { path: name('elsewhere') });
  const down = await requestBatch(owner, project, 'download', [toReference(content)]);
  const [entry] = JSON.parse(down.text).objects;
  assert.match(entry.actions.download.href, new RegExp(`/${path}\\.git/`));
  assert.equal((await downloadObject(owner, project, content.oid)).text, content.bytes.toString());
  for (const refused of [
    await requestBatch(owner, project, 'upload', [toReference(more)]),
    await uploadObject(owner, project, more),
  ]) {
    assert.equal(refused.status, 404);
    assert.match(refused.text, new RegExp(`has moved\\. .*/${body.path_with_namespace}\\.git$`));
  }
  const shouted = { ...project, path_with_namespace: body.path_with_namespace.toUpperCase() };
  const found = await requestBatch(owner, shouted, 'upload', [toReference(more)]);
  assert.equal(found.status, (await downloadObject(owner, shouted, content.oid)).status);
});
