import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { basic } from '../../../../test/examples/scene.ts';
import { type Caller, world } from '../../../../test/world.ts';

// LFS as its clients speak it (contract/repository.md §5): Basic credentials, JSON of their own, plain-text refusals.

const { root, anonymous, user, tokenOf, withToken, name, work, clock } = await world();

interface Place {
  readonly owner: Caller;
  readonly id: number;
  readonly path: string;
}

async function newProject(visibility = 'private'): Promise<Place> {
  const owner = await user();
  const { body } = await owner.post('/projects', { name: name('lfs'), visibility });
  return { owner, id: body.id, path: body.path_with_namespace };
}

async function member(place: Place, access_level: number): Promise<Caller> {
  const added = await user();
  await place.owner.post(`/projects/${place.id}/members`, { user_id: added.id, access_level });
  return added;
}

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

function batch(caller: Caller, { path }: Place, operation: string, objects: readonly object[]) {
  const headers = { ...proofOf(caller), 'Content-Type': 'application/vnd.git-lfs+json' };
  return bare.send('POST', `//${path}.git/info/lfs/objects/batch`, {
    raw: JSON.stringify({ operation, objects, transfers: ['basic'], hash_algo: 'sha256' }),
    headers,
  });
}

function put(caller: Caller, { path }: Place, { oid, size, bytes }: Content) {
  const headers = { ...proofOf(caller), 'Content-Type': 'application/octet-stream' };
  return bare.send('PUT', `//${path}.git/gitlab-lfs/objects/${oid}/${size}`, { raw: bytes, headers });
}

function get(caller: Caller, { path }: Place, oid: string) {
  return bare.send('GET', `//${path}.git/gitlab-lfs/objects/${oid}`, { headers: proofOf(caller) });
}

const wanted = ({ oid, size }: Content) => ({ oid, size });

test('an object goes up and comes down where the batch says', async () => {
  const place = await newProject();
  const { owner } = place;
  const content = newContent();
  const up = await batch(owner, place, 'upload', [wanted(content)]);
  assert.equal(up.status, 200);
  assert.equal(up.headers['content-type'], 'application/vnd.git-lfs+json');
  const [entry] = JSON.parse(up.text).objects;
  const { href, header } = entry.actions.upload;
  assert.match(
    href,
    new RegExp(`^http://[^/]+/${place.path}\\.git/gitlab-lfs/objects/${content.oid}/${content.size}$`),
  );
  assert.equal(header.Authorization, basic(owner).Authorization);
  assert.equal((await put(owner, place, content)).status, 200);
  const again = JSON.parse((await batch(owner, place, 'upload', [wanted(content)])).text);
  assert.deepEqual(again.objects, [wanted(content)], 'nothing to do for what is there');
  const down = JSON.parse((await batch(owner, place, 'download', [wanted(content)])).text);
  assert.match(down.objects[0].actions.download.href, new RegExp(`/gitlab-lfs/objects/${content.oid}$`));
  const got = await get(owner, place, content.oid);
  assert.equal(got.status, 200);
  assert.equal(got.headers['content-type'], 'application/octet-stream');
  assert.deepEqual(got.bytes, content.bytes);
});

test('what is not there is an error of its own entry, and 404 by itself', async () => {
  const place = await newProject();
  const content = newContent();
  const { objects } = JSON.parse((await batch(place.owner, place, 'download', [wanted(content)])).text);
  assert.deepEqual(objects, [{ ...wanted(content), error: { code: 404, message: 'Object does not exist' } }]);
  const got = await get(place.owner, place, content.oid);
  assert.deepEqual([got.status, got.headers['content-type']], [404, 'text/plain']);
});

test('a wrong hash or size is 400, and nothing is kept', async () => {
  const place = await newProject();
  const content = newContent();
  for (const wrong of [
    { ...content, size: content.size + 1 },
    { ...content, size: content.size - 1 },
    { ...content, oid: 'f'.repeat(64) },
  ]) {
    const answer = await put(place.owner, place, wrong);
    assert.deepEqual([answer.status, answer.text], [400, 'SHA256 or size mismatch']);
    assert.equal((await get(place.owner, place, wrong.oid)).status, 404);
  }
  for (const path of [`${content.oid.slice(1)}/${content.size}`, `${content.oid}/many`, `${content.oid}/-1`]) {
    const url = `//${place.path}.git/gitlab-lfs/objects/${path}`;
    const answer = await bare.send('PUT', url, { raw: content.bytes, headers: basic(place.owner) });
    assert.equal(answer.status, 404, path);
  }
});

test('what is no batch is 422', async () => {
  const { owner, path } = await newProject();
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
  await one.owner.delete(`/projects/${one.id}`, { permanently_remove: true, full_path: one.path });
  await work();
  clock.advance(3 * 86_400);
  await work();
  assert.deepEqual((await get(other.owner, other, content.oid)).bytes, content.bytes);
});

test('who may do what: reading as code is read, writing as code is pushed', async () => {
  const place = await newProject();
  const content = newContent();
  await put(place.owner, place, content);
  const [guest, reporter, developer] = [await member(place, 10), await member(place, 20), await member(place, 30)];
  const stranger = await user();
  const asked = async (caller: Caller) => [
    (await batch(caller, place, 'download', [wanted(content)])).status,
    (await get(caller, place, content.oid)).status,
    (await batch(caller, place, 'upload', [wanted(content)])).status,
    (await put(caller, place, content)).status,
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
  const place = await newProject('public');
  const content = newContent();
  await put(place.owner, place, content);
  const { objects } = JSON.parse((await batch(anonymous, place, 'download', [wanted(content)])).text);
  assert.equal(objects[0].actions.download.header, undefined);
  assert.equal((await get(anonymous, place, content.oid)).status, 200);
  const refusal = await batch(anonymous, place, 'upload', [wanted(content)]);
  assert.deepEqual([refusal.status, refusal.headers['www-authenticate']], [401, 'Basic realm="Hearth"']);
});

test('where LFS is off there is none', async () => {
  const place = await newProject();
  const content = newContent();
  await put(place.owner, place, content);
  await place.owner.put(`/projects/${place.id}`, { lfs_enabled: false });
  assert.equal((await batch(place.owner, place, 'download', [wanted(content)])).status, 404);
  assert.equal((await get(place.owner, place, content.oid)).status, 404);
  assert.equal((await put(place.owner, place, content)).status, 404);
});

test('a read-only or archived repository takes no object', async () => {
  const place = await newProject();
  await root.put(`/projects/${place.id}`, { repository_read_only: true });
  const first = await put(place.owner, place, newContent());
  assert.deepEqual(
    [first.status, first.text],
    [403, 'The repository is temporarily read-only. Please try again later.'],
  );
  await root.put(`/projects/${place.id}`, { repository_read_only: false });
  await place.owner.post(`/projects/${place.id}/archive`);
  const second = await put(place.owner, place, newContent());
  assert.deepEqual([second.status, second.text], [403, "You can't push code to an archived project."]);
});

function pointerTo({ oid, size }: Content): string {
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;
}

test('a pointer is committed once its object is there', async () => {
  const place = await newProject();
  const content = newContent();
  const file = `/projects/${place.id}/repository/files/big.bin`;
  const commit = { branch: 'main', commit_message: 'Add', content: pointerTo(content) };
  const refusal = await place.owner.post(file, commit);
  assert.equal(refusal.status, 400);
  const text = 'LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".';
  assert.deepEqual(refusal.body, { message: text });
  assert.equal((await place.owner.get(`/projects/${place.id}`)).body.empty_repo, true);
  await put(place.owner, place, content);
  assert.equal((await place.owner.post(file, commit)).status, 201);
  const raw = await place.owner.get(`${file}/raw`, { ref: 'main' });
  assert.equal(raw.text, pointerTo(content));
  const whole = await place.owner.get(`${file}/raw`, { ref: 'main', lfs: true });
  assert.deepEqual(whole.bytes, content.bytes);
});

test('by the old path of a moved project objects come down and none go up', async () => {
  const place = await newProject();
  const { owner, id, path } = place;
  const [content, more] = [newContent(), newContent()];
  assert.equal((await put(owner, place, content)).status, 200);
  const { body } = await owner.put(`/projects/${id}`, { path: name('elsewhere') });
  const down = await batch(owner, place, 'download', [wanted(content)]);
  const [entry] = JSON.parse(down.text).objects;
  assert.match(entry.actions.download.href, new RegExp(`/${path}\\.git/`));
  assert.equal((await get(owner, place, content.oid)).text, content.bytes.toString());
  for (const refused of [await batch(owner, place, 'upload', [wanted(more)]), await put(owner, place, more)]) {
    assert.equal(refused.status, 404);
    assert.match(refused.text, new RegExp(`has moved\\. .*/${body.path_with_namespace}\\.git$`));
  }
  const shouted = { ...place, path: body.path_with_namespace.toUpperCase() };
  const found = await batch(owner, shouted, 'upload', [wanted(more)]);
  assert.equal(found.status, (await get(owner, shouted, content.oid)).status);
});
