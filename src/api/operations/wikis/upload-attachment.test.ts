import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildMultipartBody, MULTIPART_HEADERS } from '#api/pipelines/artifacts/upload.testing.ts';
import { listObjects } from '#repositories/objects.testing.ts';
import { basic } from '#test/examples/scene.ts';
import { type Caller, world } from '#test/support/world.ts';

// Attachments of pages, and access to wikis.

const { project, owner, newGroup, newProject, user, anonymous, root, server } = await world({ project: {} });

const attach = (by: Caller, at: string, parts: Parameters<typeof buildMultipartBody>[0]) =>
  by.send('POST', `${at}/wikis/attachments`, { raw: buildMultipartBody(parts), headers: MULTIPART_HEADERS });

test('stores a file under a safe name, and embeds or links it by its type', async () => {
  const cases = [
    ['dk.PNG', 'dk.PNG', '![dk]'],
    ['../a b<c>.txt', 'a_b_c_.txt', '[a_b_c_.txt]'],
    [`${'x'.repeat(300)}.mp4`, `${'x'.repeat(251)}.mp4`, `![${'x'.repeat(251)}]`],
    ['é.md', 'é.md', '[é.md]'],
  ] as const;
  for (const [filename, name, label] of cases) {
    const { status, body } = await attach(owner, project.at, { filename });
    const { file_path } = body;
    assert.match(file_path, /^uploads\/[0-9a-f]{32}\/[^/]+$/);
    const link = { url: file_path, markdown: `${label}(${file_path})` };
    assert.deepEqual([status, body], [201, { file_name: name, file_path, branch: 'main', link }]);
  }
  const events = await owner.get(`${project.at}/events`, { target_type: 'wiki' });
  assert.deepEqual(events.body, []);
});

test('commits a file to the requested branch, and rejects a parameter that is not a file', async () => {
  const { body } = await attach(owner, project.at, { fields: { branch: 'drafts' } });
  assert.equal(body.branch, 'drafts');
  const odd = await attach(owner, project.at, { fields: { branch: 'a..b' } });
  assert.deepEqual([odd.status, odd.body], [400, { message: { branch: ['is invalid'] } }]);
  const none = await attach(owner, project.at, { name: 'other' });
  assert.deepEqual([none.status, none.body], [400, { error: 'file is missing' }]);
  const text = await owner.post(`${project.at}/wikis/attachments?file=text`);
  assert.deepEqual([text.status, text.body], [400, { error: 'file is invalid' }]);
  const large = await attach(owner, project.at, { content: Buffer.alloc(10 * 1024 * 1024 + 1) });
  assert.equal(large.status, 413);
});

test('returns the error of a body that cannot contain a file', async () => {
  const cases = [
    ['application/json', '{"file":"text"}', 400, 'file is invalid'],
    ['application/json', '{}', 400, 'file is missing'],
    ['application/json', '{', 400, 'Invalid JSON format'],
    ['application/x-www-form-urlencoded', 'file=text', 400, 'file is invalid'],
    ['text/plain', 'text', 415, "The provided content-type 'text/plain' is not supported."],
  ] as const;
  for (const [type, raw, status, error] of cases) {
    const headers = { 'Content-Type': type };
    const answer = await owner.send('POST', `${project.at}/wikis/attachments`, { raw: Buffer.from(raw), headers });
    assert.deepEqual([answer.status, answer.body], [status, { error }], raw);
  }
});

test('the access level grants access to everybody, to members only, or to nobody', async () => {
  const stranger = await user();
  for (const parent of [
    await newProject({ visibility: 'public', with: ['planner', 'reporter'] }),
    await newGroup({ visibility: 'public', with: ['planner', 'reporter'] }),
  ]) {
    const tried = async (by: Caller, title: string) => {
      const reads = (await by.get(`${parent.at}/wikis`)).status;
      const writes = (await by.post(`${parent.at}/wikis`, { title, content: 'x' })).status;
      return [reads, writes, (await by.delete(`${parent.at}/wikis/${title}`)).status].join(' ');
    };
    const callers = [anonymous, stranger, parent.planner, parent.reporter];
    const all = async (level: string) => {
      await parent.owner.put(parent.at, { wiki_access_level: level });
      return Promise.all(callers.map((by, at) => tried(by, `${level}${at}`)));
    };
    const [members, no] = [['200 201 204', '200 403 403'], '403 403 403'];
    assert.deepEqual(await all('enabled'), ['200 401 401', '200 403 403', ...members]);
    assert.deepEqual(await all('private'), ['403 401 401', no, ...members]);
    assert.deepEqual(await all('disabled'), ['403 401 401', no, no, no]);
  }
});

test('the wiki of an archived or read-only project is readable but not writable', async () => {
  const shut = await newProject();
  const write = () => shut.owner.post(`${shut.at}/wikis`, { title: `t${Math.random()}`, content: 'x' });
  await write();
  await root.put(shut.at, { repository_read_only: true });
  const { status, body } = await write();
  const message = 'The repository is temporarily read-only. Please try again later.';
  assert.deepEqual([status, body], [400, { message }]);
  await root.put(shut.at, { repository_read_only: false });
  await shut.owner.post(`${shut.at}/archive`);
  assert.deepEqual([(await write()).status, (await shut.owner.get(`${shut.at}/wikis`)).body.length], [403, 1]);
});

test('a write rejected as read-only leaves nothing in the repository', async () => {
  const { owner: writer, at, id } = await newProject();
  await writer.post(`${at}/wikis`, { title: 'a', content: 'x' });
  await root.put(at, { repository_read_only: true });
  const objects = await listObjects(server, 'wikis', id);
  const refused = await Promise.all([
    writer.post(`${at}/wikis`, { title: 'b', content: 'new' }),
    writer.put(`${at}/wikis/a`, { content: 'other' }),
    writer.delete(`${at}/wikis/a`),
    attach(writer, at, { content: 'file', filename: 'a.txt' }),
  ]);
  const message = 'The repository is temporarily read-only. Please try again later.';
  for (const { status, body } of refused) assert.deepEqual([status, body], [400, { message }]);
  // A storage move waits until no new objects arrive.
  assert.deepEqual(await listObjects(server, 'wikis', id), objects);
});

test('on the free tier projects have wikis, and groups do not', async () => {
  const free = await world({ env: { HEARTH_TIER: 'free' }, group: {} });
  const { group } = free;
  const below = await free.newProject({ in: group });
  const page = { title: 'Home', content: 'x' };
  const each = ({ at }: { readonly at: string }) => [
    () => free.root.post(`${at}/wikis`, page),
    () => free.root.get(`${at}/wikis`),
    () => free.root.get(`${at}/wikis/Home`),
    () => free.root.put(`${at}/wikis/Home`, page),
    () => attach(free.root, at, { content: 'x', filename: 'a.txt' }),
    () => free.root.delete(`${at}/wikis/Home`),
  ];
  for (const call of each(below)) assert.ok((await call()).status < 300);
  for (const call of each(group)) {
    const { status, body } = await call();
    assert.deepEqual([status, body], [404, { message: '404 Not Found' }]);
  }
  const headers = basic(free.root);
  const refs = `//${group.full_path}.wiki.git/info/refs?service=git-upload-pack`;
  const fetched = await free.anonymous.send('GET', refs, { headers });
  assert.equal(fetched.status, 404);
});
