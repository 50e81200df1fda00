import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { startMinimalServer } from '#test/support/minimal-server.ts';
import { open } from '../access/access.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { rawEntity } from '../endpoint/entity.ts';
import { ok } from '../endpoint/responses.ts';
import { optional } from '../parameters/declarations.ts';
import { string } from '../parameters/texts.ts';

// The limits of bodies in each encoding. test/hostile measures the time of the rejections.

const shared = {
  access: open(),
  params: { name: optional(string) },
  response: ok(rawEntity(Type.Unknown())),
} as const;
const echo = ({ params }: { params: object }) => params;

const { anonymous } = await startMinimalServer({
  readEcho: endpoint({ get: '/echo', summary: 'Read', ...shared, handle: echo }),
  createEcho: endpoint({ post: '/echo', summary: 'Create', ...shared, handle: echo }),
  deleteEcho: endpoint({ delete: '/echo', summary: 'Delete', ...shared, handle: echo }),
});

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=edge';

async function send(raw: string | Buffer, type: string, method = 'POST') {
  const {
    status,
    body,
    text: told,
  } = await anonymous.send(method, '/echo', { raw, headers: { 'Content-Type': type } });
  return [status, body ?? told];
}

const tooMany = [400, { error: 'Too many total parameters' }];

test('rejects a form of more than 100,000 pairs', async () => {
  const pairs = (pair: string, count: number) => Array.from({ length: count }, () => pair).join('&');
  assert.deepEqual(await send(`${pairs('a[][b]=1', 99_999)}&name=x`, FORM_TYPE), [200, { name: 'x' }]);
  for (const pair of ['a[][b]=1', 'a', '', 'a[b][c]=%41']) {
    assert.deepEqual(await send(pairs(pair, 100_002), FORM_TYPE), tooMany, pair);
  }
});

test('ignores names longer than 8 KiB or nested too deeply', async () => {
  for (const name of ['n'.repeat(9000), `a${'[a]'.repeat(1_000_000)}`, `name${'[]'.repeat(5000)}`]) {
    assert.deepEqual(await send(`${name}=y&name=x`, FORM_TYPE), [200, { name: 'x' }]);
  }
});

const part = (name: string, value: string, header = `; name="${name}"`) =>
  `--edge\r\nContent-Disposition: form-data${header}\r\n\r\n${value}\r\n`;

test('rejects a multipart body of more than 50,000 parts', async () => {
  const many = part('a', '').repeat(49_999);
  assert.deepEqual(await send(`${many}${part('name', 'x')}--edge--`, MULTIPART), [200, { name: 'x' }]);
  assert.deepEqual(await send(`${many}${part('name', 'x').repeat(2)}--edge--`, MULTIPART), tooMany);
});

test('rejects a multipart body at its first invalid part', async () => {
  const bad = Buffer.from(part('a', '\u00ff'), 'latin1');
  const good = Buffer.from(part('name', 'x').repeat(2000));
  const end = Buffer.from('--edge--');
  for (const parts of [[bad, good], [good, bad], Array.from({ length: 1000 }, () => bad)]) {
    assert.deepEqual(await send(Buffer.concat([...parts, end]), MULTIPART), [400, { error: 'a is invalid' }]);
  }
});

test('a part without a name, or with an unusual name, has no effect', async () => {
  for (const header of ['', '; filename="a.txt"']) {
    const body = `${part('', 'y', header)}${part('name', 'x')}--edge--`;
    assert.deepEqual(await send(body, MULTIPART), [200, { name: 'x' }], header);
  }
  assert.deepEqual(await send(`${part('n'.repeat(9000), 'y')}--edge--`, MULTIPART), [
    400,
    { error: 'body is invalid' },
  ]);
});

test('bodies of GET and DELETE may have 64 KiB', async () => {
  for (const method of ['GET', 'DELETE']) {
    const body = (length: number) => `{"name":"x","a":"${'a'.repeat(length - 19)}"}`;
    assert.deepEqual(await send(body(65_536), JSON_TYPE, method), [200, { name: 'x' }], method);
    const tooLarge = [413, { message: '413 Request Entity Too Large' }];
    for (const type of [JSON_TYPE, FORM_TYPE, MULTIPART]) {
      assert.deepEqual(await send(body(65_537), type, method), tooLarge, `${method} ${type}`);
    }
  }
  assert.equal((await send(`{"more":"${'a'.repeat(65_537)}"}`, JSON_TYPE))[0], 200);
});

test('rejects JSON that is not UTF-8 instead of replacing bytes', async () => {
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80]]) {
    const body = Buffer.concat([Buffer.from('{"name":"a'), Buffer.from(bytes), Buffer.from('"}')]);
    assert.deepEqual(await send(body, JSON_TYPE), [400, { error: 'Invalid JSON format' }]);
  }
  const utf16 = Buffer.from('\ufeff{"name":"a"}', 'utf16le');
  assert.deepEqual(await send(utf16, JSON_TYPE), [400, { error: 'Invalid JSON format' }]);
});

test('counts the values of JSON bodies, ignoring brackets in texts', async () => {
  const tooDeep = [400, { error: 'Parameters nested too deeply' }];
  const brackets = (count: number) => `${'['.repeat(count)}${']'.repeat(count)}`;
  assert.deepEqual(await send(brackets(32), JSON_TYPE), [200, {}]);
  assert.deepEqual(await send(brackets(33), JSON_TYPE), tooDeep);
  assert.deepEqual(await send(brackets(5_000_000), JSON_TYPE), tooDeep);
  const said = `${brackets(100)},\\"{},\\\\`;
  assert.deepEqual(await send(`{"name":"${said}"}`, JSON_TYPE), [200, { name: JSON.parse(`"${said}"`) }]);
  assert.deepEqual(await send(`{"a":1${',"a":1'.repeat(50_000)}}`, JSON_TYPE), [
    400,
    { error: 'Hash parameter too large' },
  ]);
  const named = (length: number) => Array.from({ length: 20_000 }, (_, at) => `"${'n'.repeat(length)}${at}":1`);
  assert.deepEqual(await send(`{${named(90).join()}}`, JSON_TYPE), [200, {}]);
  assert.deepEqual(await send(`{${named(110).join()}}`, JSON_TYPE), [400, { error: 'Hash parameter too large' }]);
  for (const broken of ['[[]', '{}}{', ']', '"', '{"a":"b\\"}']) {
    assert.deepEqual(await send(broken, JSON_TYPE), [400, { error: 'Invalid JSON format' }], broken);
  }
});
