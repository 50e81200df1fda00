import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { basic } from '../../../../test/examples/scene.ts';
import { type Caller, type Project, world } from '../../../../test/world.ts';

// LFS as its clients speak it (contract/repository.md §5): Basic credentials, JSON of their own, plain-text refusals.

const { root, anonymous, user, tokenOf, withToken, name, work, clock, newProject } = await world();

interface Content {
  readonly bytes: Buffer;
  readonly oid: string;
  readonly size: number;
}

function newContent(): Content {
  const bytes = Buffer.from(`content of ${name('object')}`);
  return { bytes, oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
}

const bare = withToken(anonymous, null);
const proofOf = (caller: Caller) => (caller.token === null ? {} : basic(caller));

function batch(caller: Caller, { path_with_namespace }: Project, operation: string, objects: readonly object[]) {
  const headers = { ...proofOf(caller), 'Content-Type': 'application/vnd.git-lfs+json' };
  return bare.send('POST', `//${path_with_namespace}.git/info/lfs/objects/batch`, {
    raw: JSON.stringify({ operation, objects, transfers: ['basic'], hash_algo: 'sha256' }),
    headers,
  });
}

function put(caller: Caller, { path_with_namespace }: Project, { oid, size, bytes }: Content) {
  const headers = { ...proofOf(caller), 'Content-Type': 'application/octet-stream' };
  return bare.send('PUT', `//${path_with_namespace}.git/gitlab-lfs/objects/${oid}/${size}`, { raw: bytes, headers });
}

function get(caller: Caller, { path_with_namespace }: Project, oid: string) {
  return bare.send('GET', `//${path_with_namespace}.git/gitlab-lfs/objects/${oid}`, { headers: proofOf(caller) });
}

const wanted = ({ oid, size }: Content) => ({ oid, size });

test('an object goes up and comes down where the batch says', async () => {
  const project = await newProject();
  const { owner } = project;
  const content = newContent();
  const up = await batch(owner, project, 'upload', [wanted(content)]);
  assert.equal(up.status, 200);
  assert.equal(up.headers['content-type'], 'application/vnd.git-lfs+json');
  const [entry] = JSON.parse(up.text).objects;
  const { href, header } = entry.actions.upload;
  assert.match(
    href,
    new RegExp(`^http://[^/]+/${project.path_with_namespace}\\.git/gitlab-lfs/objects/${content.oid}/${content.size}$`),
  );
  assert.equal(header.Authorization, basic(owner).Authorization);
  assert.equal((await put(owner, project, content)).status, 200);
  const again = JSON.parse((await batch(owner, project, 'upload', [wanted(content)])).text);
  assert.deepEqual(again.objects, [wanted(content)], 'nothing to do for what is there');
  const down = JSON.parse((await batch(owner, project, 'download', [wanted(content)])).text);
  assert.match(down.objects[0].actions.download.href, new RegExp(`/gitlab-lfs/objects/${content.oid}$`));
  const got = await get(owner, project, content.oid);
  assert.equal(got.status, 200);
  assert.equal(got.headers['content-type'], 'application/octet-stream');
  assert.deepEqual(got.bytes, content.bytes);
});

test('what is not there is an error of its own entry, and 404 by itself', async () => {
  const project = await newProject();
  const content = newContent();
  const { objects } = JSON.parse((await batch(project.owner, project, 'download', [wanted(content)])).text);
  assert.deepEqual(objects, [{ ...wanted(content), error: { code: 404, message: 'Object does not exist' } }]);
  const got = await get(project.owner, project, content.oid);
  assert.deepEqual([got.status, got.headers['content-type']], [404, 'text/plain']);
});

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

test('what is no batch is 422', async () => {
  const { owner, path_with_namespace: path } = await newProject();
  const ask = (raw: string) =>
    bare.send('POST', `//${path}.git/info/lfs/objects/batch`, { raw, headers: basic(owner) });
  const oid = 'a'.repeat(64);
  for (const raw of [
    '',
    '{',
    '[]',
    '{"operation":"delete","objects":[]}',
    '{"operation":"download"}',
    `{"operation":"download","objects":[{"oid":"../../x","size":1}]}`,
    `{"operation":"download","objects":[{"oid":"${oid}","size":-1}]}`,
    `{"operation":"download","objects":[{"oid":"${oid}","size":1e300}]}`,
  ]) {
    assert.equal((await ask(raw)).status, 422, raw);
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

test('where LFS is off there is none', async () => {
  const project = await newProject();
  const content = newContent();
  await put(project.owner, project, content);
  await project.owner.put(project.at, { lfs_enabled: false });
  assert.equal((await batch(project.owner, project, 'download', [wanted(content)])).status, 404);
  assert.equal((await get(project.owner, project, content.oid)).status, 404);
  assert.equal((await put(project.owner, project, content)).status, 404);
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

function pointerTo({ oid, size }: Content): string {
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;
}

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
