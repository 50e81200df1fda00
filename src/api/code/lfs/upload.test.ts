import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic } from '#test/examples/scene.ts';
import { world } from '#test/support/world.ts';
import { bare, batch, type Content, get, newContent, put, wanted } from './client.testing.ts';

const { root, name, work, clock, newProject } = await world();

function pointerTo({ oid, size }: Content): string {
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;
}

test('a wrong hash or size is 400, and nothing is kept', async () => {
  const project = await newProject();
  const content = newContent();
  for (const wrong of [
    { ...content, size: content.size + 1 },
    { ...content, size: content.size - 1 },
    { ...content, oid: 'f'.repeat(64) },
  ]) {
    const answer = await put(project.owner, project, wrong);
    assert.deepEqual([answer.status, answer.text], [400, 'SHA256 or size mismatch']);
    assert.equal((await get(project.owner, project, wrong.oid)).status, 404);
  }
  for (const path of [`${content.oid.slice(1)}/${content.size}`, `${content.oid}/many`, `${content.oid}/-1`]) {
    const url = `//${project.path_with_namespace}.git/gitlab-lfs/objects/${path}`;
    const answer = await bare.send('PUT', url, { raw: content.bytes, headers: basic(project.owner) });
    assert.equal(answer.status, 404, path);
  }
});

test('an object belongs to the projects that were given it, though it is stored once', async () => {
  const [one, other] = [await newProject(), await newProject()];
  const content = newContent();
  await put(one.owner, one, content);
  assert.equal((await get(other.owner, other, content.oid)).status, 404);
  const { objects } = JSON.parse((await batch(other.owner, other, 'upload', [wanted(content)])).text);
  assert.ok(objects[0].actions.upload, 'whoever has not got it shows that he has its content');
  await put(other.owner, other, content);
  await one.owner.delete(`/projects/${one.id}`);
  await one.owner.delete(`/projects/${one.id}`, { permanently_remove: true, full_path: one.path_with_namespace });
  await work();
  clock.advance(3 * 86_400);
  await work();
  assert.deepEqual((await get(other.owner, other, content.oid)).bytes, content.bytes);
});

test('a read-only or archived repository takes no object', async () => {
  const project = await newProject();
  await root.put(project.at, { repository_read_only: true });
  const first = await put(project.owner, project, newContent());
  assert.deepEqual(
    [first.status, first.text],
    [403, 'The repository is temporarily read-only. Please try again later.'],
  );
  await root.put(project.at, { repository_read_only: false });
  await project.owner.post(`${project.at}/archive`);
  const second = await put(project.owner, project, newContent());
  assert.deepEqual([second.status, second.text], [403, "You can't push code to an archived project."]);
});

test('a pointer is committed once its object is there', async () => {
  const project = await newProject();
  const content = newContent();
  const file = `${project.repository}/files/big.bin`;
  const commit = { branch: 'main', commit_message: 'Add', content: pointerTo(content) };
  const refusal = await project.owner.post(file, commit);
  assert.equal(refusal.status, 400);
  const text = 'LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".';
  assert.deepEqual(refusal.body, { message: text });
  assert.equal((await project.owner.get(project.at)).body.empty_repo, true);
  await put(project.owner, project, content);
  assert.equal((await project.owner.post(file, commit)).status, 201);
  const raw = await project.owner.get(`${file}/raw`, { ref: 'main' });
  assert.equal(raw.text, pointerTo(content));
  const whole = await project.owner.get(`${file}/raw`, { ref: 'main', lfs: true });
  assert.deepEqual(whole.bytes, content.bytes);
});

test('by the old path of a moved project objects come down and none go up', async () => {
  const project = await newProject();
  const { owner, id, path_with_namespace: path } = project;
  const [content, more] = [newContent(), newContent()];
  assert.equal((await put(owner, project, content)).status, 200);
  const { body } = await owner.put(`/projects/${id}`, { path: name('elsewhere') });
  const down = await batch(owner, project, 'download', [wanted(content)]);
  const [entry] = JSON.parse(down.text).objects;
  assert.match(entry.actions.download.href, new RegExp(`/${path}\\.git/`));
  assert.equal((await get(owner, project, content.oid)).text, content.bytes.toString());
  for (const refused of [await batch(owner, project, 'upload', [wanted(more)]), await put(owner, project, more)]) {
    assert.equal(refused.status, 404);
    assert.match(refused.text, new RegExp(`has moved\\. .*/${body.path_with_namespace}\\.git$`));
  }
  const shouted = { ...project, path_with_namespace: body.path_with_namespace.toUpperCase() };
  const found = await batch(owner, shouted, 'upload', [wanted(more)]);
  assert.equal(found.status, (await get(owner, shouted, content.oid)).status);
});
