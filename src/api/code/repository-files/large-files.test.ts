import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { JSON_TYPE, MEBIBYTE, sendChunked, setUp } from './large-bodies.testing.ts';

// Bodies that are spooled must behave exactly like small ones.

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const FORM_TYPE = 'application/x-www-form-urlencoded';

const LONG = `${'grüße, "quoted"\\ \t 𝄞\r\n'.repeat(50_000)}end`;

test('stores long texts unchanged from JSON, forms and multipart', async () => {
  const { post, raw } = await setUp();
  const fields = { branch: 'main', commit_message: 'm', content: LONG };
  const part = (name: string, value: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const parts = Object.entries(fields).map(([name, value]) => part(name, value));
  const bodies: [string, string, string][] = [
    ['json', JSON_TYPE, JSON.stringify(fields)],
    ['form', FORM_TYPE, new URLSearchParams(fields).toString()],
    ['multipart', 'multipart/form-data; boundary=x', `${parts.join('')}--x--\r\n`],
  ];
  for (const [path, type, body] of bodies) {
    assert.ok(body.length > 1024 * 1024);
    const answer = await post(path, type, body);
    assert.equal(answer.status, 201, answer.text);
    assert.equal(sha256(await raw(path)), sha256(LONG), path);
  }
});

test('accepts long base64 with line breaks and without padding, and nothing else', async () => {
  const { post, raw, tip } = await setUp();
  const bytes = randomBytes(1_500_001);
  const lines = bytes.toString('base64').replace(/.{76}/g, '$&\r\n').replace(/=+$/, '');
  const before = { encoding: 'base64', content: lines, branch: 'main', commit_message: 'm' };
  const after = { content: lines, branch: 'main', commit_message: 'm', encoding: 'base64' };
  for (const [path, body] of Object.entries({ before, after })) {
    assert.equal((await post(path, JSON_TYPE, JSON.stringify(body))).status, 201);
    assert.ok((await raw(path)).equals(bytes), path);
  }
  const at = await tip();
  for (const content of [
    `${lines}!`,
    `=${lines}`,
    `${lines.slice(0, 100)}=${lines.slice(100)}`,
    `${'A'.repeat(2_000_001)}`,
    `${'A'.repeat(2_000_000)}===`,
  ]) {
    const answer = await post('wrong', JSON_TYPE, JSON.stringify({ ...before, content }));
    assert.equal(answer.body.message, '400 Bad request - content is not valid base64');
  }
  assert.equal(await tip(), at);
});

const CONTENT = 'x'.repeat(1_200_000);
const GOOD = { branch: 'main', commit_message: 'm', content: CONTENT };
const WRONG: [string, string | Buffer, unknown][] = [
  [JSON_TYPE, `${JSON.stringify(GOOD)}}`, { message: 'Invalid json', error: 'Invalid json' }],
  [JSON_TYPE, `{"content":"${CONTENT}`, { message: 'Invalid json', error: 'Invalid json' }],
  [JSON_TYPE, JSON.stringify(GOOD).replace('xxx', '\n'), { message: 'Invalid json', error: 'Invalid json' }],
  [
    JSON_TYPE,
    Buffer.from(JSON.stringify(GOOD).replace('xxx', 'ÿ'), 'latin1'),
    { message: 'Invalid json', error: 'Invalid json' },
  ],
  [JSON_TYPE, JSON.stringify({ ...GOOD, branch: '' }), { message: '400 Bad request - branch is required' }],
  [
    JSON_TYPE,
    JSON.stringify({ ...GOOD, encoding: 'hex' }),
    { message: '400 Bad request - encoding must be text or base64' },
  ],
  [
    JSON_TYPE,
    JSON.stringify({ ...GOOD, execute_filemode: 'x' }),
    { message: '400 Bad request - execute_filemode must be a boolean' },
  ],
  [JSON_TYPE, `[${JSON.stringify(GOOD)}]`, { message: '400 Bad request - branch is required' }],
  ['text/plain', CONTENT, { message: '400 Bad request - Unsupported Content-Type: text/plain' }],
  [
    'multipart/form-data; boundary=x',
    `--x\r\nContent-Disposition: form-data; name="content"; filename="a"\r\n\r\n${CONTENT}\r\n--x--\r\n`,
    { message: '400 Bad request - This endpoint does not support form encoded file uploads' },
  ],
];

test('reports the same errors for small and long bodies', async () => {
  const { post, tip } = await setUp();
  const at = await tip();
  for (const [type, body, expected] of WRONG) {
    const answer = await post('n', type, body);
    assert.deepEqual([answer.status, answer.body], [400, expected]);
  }
  assert.equal(await tip(), at);
});

test('returns 400 for an invalid long form and writes nothing', async () => {
  const { post, tip } = await setUp();
  const at = await tip();
  const content = 'x'.repeat(1_200_000);
  for (const body of [`content=${content}%`, `content=%00${content}`, `content=${content}%ff&branch=main`]) {
    const answer = await post('n', FORM_TYPE, body);
    assert.deepEqual([answer.status, answer.body], [400, { error: 'content is invalid' }]);
  }
  assert.equal(await tip(), at);
});

test('accepts a long message, and query parameters beside a long body', async () => {
  const { owner, repository, post } = await setUp();
  const message = `Title\n\n${'word '.repeat(180_000)}`;
  const answer = await post(
    'n',
    JSON_TYPE,
    JSON.stringify({ unknown: 'x'.repeat(300_000), commit_message: message, content: null }),
    '?branch=main&content=no',
  );
  assert.equal(answer.status, 201, answer.text);
  const [commit] = (await owner.get(`${repository}/commits`)).body;
  assert.equal(sha256(commit.message), sha256(message));
});

test('creates a commit from many actions with long contents', async () => {
  const { owner, repository, raw } = await setUp();
  const actions = Array.from({ length: 15 }, (_, index) => ({
    action: 'create',
    file_path: `many/${index}`,
    content: `${index} `.repeat(40_000),
  }));
  const body = JSON.stringify({ branch: 'main', commit_message: 'Many', actions, stats: false });
  const json = await owner.send('POST', `${repository}/commits`, { raw: body, headers: { 'Content-Type': JSON_TYPE } });
  assert.equal(json.status, 201, json.text);
  for (const { file_path, content } of actions) assert.equal(sha256(await raw(file_path)), sha256(content));
  const form = new URLSearchParams({ branch: 'main', commit_message: 'Form' });
  for (const { file_path, content } of actions) {
    form.append('actions[][action]', 'update');
    form.append('actions[][file_path]', file_path);
    form.append('actions[][content]', `${content}!`);
  }
  const input = await owner.send('POST', `${repository}/commits`, {
    raw: form.toString(),
    headers: { 'Content-Type': FORM_TYPE },
  });
  assert.equal(input.status, 201, input.text);
  assert.equal(sha256(await raw('many/7')), sha256(`${actions[7]!.content}!`));
});

test('stores files as LFS objects as .gitattributes says', async () => {
  const { owner, at, post, raw } = await setUp();
  const base = { branch: 'main', commit_message: 'm' };
  assert.equal((await owner.post(at('.gitattributes'), { ...base, content: '*.bin filter=lfs\n' })).status, 201);
  const long = randomBytes(1_300_000);
  for (const [path, bytes] of Object.entries({ 'long.bin': long, 'short.bin': Buffer.from('short') })) {
    const body = { ...base, content: bytes.toString('base64'), encoding: 'base64' };
    assert.equal((await post(path, JSON_TYPE, JSON.stringify(body))).status, 201);
    assert.match(
      (await raw(path)).toString(),
      new RegExp(`^version https://git-lfs.*oid sha256:${sha256(bytes)}\nsize ${bytes.length}\n$`, 's'),
    );
    const object = await owner.get(`${at(path)}/raw`, { lfs: true });
    assert.ok(object.bytes.equals(bytes));
    assert.match(
      String(object.headers['content-disposition']),
      new RegExp(`^attachment; filename="${sha256(bytes).slice(4)}"`),
    );
  }
  assert.equal((await owner.post(at('empty.bin'), { ...base, content: '' })).status, 201);
  assert.equal((await raw('empty.bin')).length, 0);
});

test('rejects a pointer to a missing object, unless LFS is disabled', async () => {
  const { owner, repository, at, raw, tip } = await setUp();
  const base = { branch: 'main', commit_message: 'm' };
  assert.equal((await owner.post(at('.gitattributes'), { ...base, content: '*.bin filter=lfs\n' })).status, 201);
  const before = await tip();
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 5\n`;
  for (const path of ['pointer.bin', 'pointer.txt']) {
    const answer = await owner.post(at(path), { ...base, content: pointer });
    assert.equal(answer.status, 400);
    assert.equal(
      answer.body.message,
      'LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".',
    );
  }
  assert.equal(await tip(), before);
  assert.equal((await owner.put(repository.replace('/repository', ''), { lfs_enabled: false })).status, 200);
  assert.equal((await owner.post(at('off.bin'), { ...base, content: 'plain' })).status, 201);
  assert.equal((await raw('off.bin')).toString(), 'plain');
});

test('returns 413 for a body over the limit, with or without Content-Length', async () => {
  const { root, server } = await world();
  const { owner, repository, post } = await setUp();
  await root.put('/application/settings', { max_commit_request_bytes: 2 * 1024 * 1024 });
  try {
    const small = `{"branch":"main","commit_message":"m","content":"${'a'.repeat(3 * 1024 * 1024)}"}`;
    const answer = await post('eight', JSON_TYPE, small);
    assert.deepEqual([answer.status, answer.body], [413, { message: '413 Request Entity Too Large' }]);
    assert.equal(await sendChunked(server.address, owner, `${repository}/files/nine`, MEBIBYTE, 3), 413);
  } finally {
    await root.put('/application/settings', { max_commit_request_bytes: 314_572_800 });
  }
});

test('leaves no spool files behind', async () => {
  const { server } = await world();
  const drafts = join(server.services.config.dataDir, 'blobs', 'drafts');
  assert.deepEqual(await readdir(drafts), []);
});
