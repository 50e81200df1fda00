import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { newProject } = await world();

await world();

const validBody = { branch: 'main', commit_message: 'm', content: 'x' };

async function setUp() {
  const project = await newProject();
  await project.commit({ 'README.md': 'Hello\n' });
  const { owner, repository } = project;
  const send = (method: string, path: string, type: string, raw: string) =>
    owner.send(method, `${repository}/files/${path}`, { raw, headers: { 'Content-Type': type } });
  const read = async (path: string) => (await owner.get(`${repository}/files/${path}/raw`)).text;
  return { ...project, send, read };
}

const fileUrl = (url: string, path: string, tail = '') => `${url}/files/${encodeURIComponent(path)}${tail}`;

test('prefers the path over the body and the body over the query', async () => {
  const { send, read } = await setUp();
  const query = 'branch=main&commit_message=m&content=query&file_path=elsewhere&id=0';
  assert.equal((await send('POST', `q?${query}`, 'application/json', '')).status, 201);
  const body = { content: 'body', file_path: 'elsewhere', id: 0, unknown: 1 };
  const answer = await send('POST', `b?${query}`, 'application/json; charset=utf-8', JSON.stringify(body));
  assert.deepEqual([answer.status, answer.body], [201, { file_path: 'b', branch: 'main' }]);
  assert.deepEqual([await read('q'), await read('b')], ['query', 'body']);
});

test('treats null as omitted, except for content, where it means empty', async () => {
  const { owner, repository, read } = await setUp();
  const absent = {
    encoding: null,
    execute_filemode: null,
    start_branch: null,
    author_name: null,
    last_commit_id: null,
  };
  assert.equal((await owner.post(`${repository}/files/n`, { ...validBody, ...absent, content: null })).status, 201);
  assert.equal(await read('n'), '');
  for (const name of ['branch', 'commit_message']) {
    const answer = await owner.put(`${repository}/files/n`, { ...validBody, [name]: null });
    assert.deepEqual([answer.status, answer.body], [400, { message: `400 Bad request - ${name} is required` }]);
  }
});

test('ignores a JSON body that is not an object, and rejects files in forms', async () => {
  const { send } = await setUp();
  const array = await send('POST', 'n', 'application/json', '[]');
  assert.deepEqual(array.body, { message: '400 Bad request - branch is required' });
  const part = '--x\r\nContent-Disposition: form-data; name="content"; filename="a"\r\n\r\na\r\n--x--\r\n';
  const file = await send('PUT', 'README.md', 'multipart/form-data; boundary=x', part);
  assert.equal(file.status, 400);
  assert.deepEqual(file.body, {
    message: '400 Bad request - This endpoint does not support form encoded file uploads',
  });
});

test('reads the parameters of DELETE from the query or any body', async () => {
  const { owner, repository, send } = await setUp();
  for (const path of ['1', '2', '3'])
    assert.equal((await owner.post(`${repository}/files/${path}`, validBody)).status, 201);
  const { content: _none, ...params } = validBody;
  const form = 'branch=main&commit_message=m';
  assert.equal((await send('DELETE', '1', 'application/json', JSON.stringify(params))).status, 204);
  assert.equal((await send('DELETE', '2', 'application/x-www-form-urlencoded', form)).status, 204);
  const response = await send('DELETE', `3?${form}`, 'application/json', '');
  assert.deepEqual([response.status, response.text], [204, '']);
  assert.equal((await owner.get(`${repository}/tree`)).body.length, 1);
});

test('lets only one of several concurrent requests create or delete a file', async () => {
  const { owner, repository } = await setUp();
  const created = await Promise.all(
    ['1', '2', '3'].map((content) => owner.post(`${repository}/files/same`, { ...validBody, content })),
  );
  assert.deepEqual(created.map(({ status }) => status).sort(), [201, 400, 400]);
  const deleted = await Promise.all(
    [1, 2, 3].map(() => owner.delete(`${repository}/files/same`, { branch: 'main', commit_message: 'm' })),
  );
  assert.deepEqual(deleted.map(({ status }) => status).sort(), [204, 400, 400]);
  assert.equal((await owner.get(`${repository}/commits`)).body.length, 3);
});

test('accepts JSON, form and multipart bodies and rejects other types', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const send = (path: string, type: string, raw: string) =>
    owner.send('POST', fileUrl(project.repository, path), { raw, headers: { 'Content-Type': type } });
  const form = await send(
    'form.txt',
    'application/x-www-form-urlencoded',
    'branch=main&content=a%2Bb+c&commit_message=m',
  );
  assert.equal(form.status, 201);
  assert.equal((await owner.get(fileUrl(project.repository, 'form.txt', '/raw'))).text, 'a+b c');
  const part = (name: string, value: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const parts = `${part('branch', 'main')}${part('content', 'multi')}${part('commit_message', 'm')}--x--\r\n`;
  assert.equal((await send('multi.txt', 'multipart/form-data; boundary=x', parts)).status, 201);
  const broken = await send('n', 'application/json', '{"a"');
  assert.deepEqual([broken.status, broken.body], [400, { message: 'Invalid json', error: 'Invalid json' }]);
  const foreign = await send('n', 'text/plain', 'x');
  assert.equal(foreign.body.message, '400 Bad request - Unsupported Content-Type: text/plain');
});
