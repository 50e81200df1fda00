import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Type } from 'typebox';
import { startMinimalServer } from '#test/support/minimal-server.ts';
import { open } from '../access/access.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { rawEntity } from '../endpoint/entity.ts';
import { ok } from '../endpoint/responses.ts';
import { isFilePart } from '../parameters/brackets.ts';
import { optional } from '../parameters/declarations.ts';
import { string } from '../parameters/texts.ts';
import { arrayOf, integer } from '../parameters/types.ts';
import { readBytes } from './body.ts';

/** Returns its parameters. */
const Echo = ok(rawEntity(Type.Unknown()));
const shared = {
  access: open(),
  params: { name: optional(string), ids: optional(arrayOf(integer)) },
  response: Echo,
} as const;
const echo = ({ params }: { params: object }) => params;

const endpoints = {
  readEcho: endpoint({ get: '/echo', summary: 'Read', ...shared, handle: echo }),
  createEcho: endpoint({ post: '/echo', summary: 'Create', ...shared, handle: echo }),
  updateEcho: endpoint({ put: '/echo', summary: 'Update', ...shared, handle: echo }),
  deleteEcho: endpoint({ delete: '/echo', summary: 'Delete', ...shared, handle: echo }),
  readJson: endpoint({ post: '/json', summary: 'JSON of any type', body: 'json', ...shared, handle: echo }),
  readRaw: endpoint({
    post: '/raw',
    summary: 'Bytes',
    access: open(),
    body: 'raw',
    response: Echo,
    handle: async ({ request }) => ({ length: (await readBytes(request)).length }),
  }),
  readFile: endpoint({
    post: '/file',
    summary: 'A file',
    access: open(),
    response: Echo,
    handle: ({ rawParams: given }) =>
      isFilePart(given.file) ? { filename: given.file.filename, text: given.file.bytes.toString() } : {},
  }),
};

const { anonymous, address } = await startMinimalServer(endpoints);
/** Its timeout is short enough for a test. */
const hasty = await startMinimalServer(endpoints, { idleTimeoutMs: 100 });

const JSON_TYPE = { 'Content-Type': 'application/json' };
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };

async function post(
  body: string | Buffer,
  headers: Record<string, string> = JSON_TYPE,
  path = '/echo',
  method = 'POST',
) {
  const { status, body: answer, text: told } = await anonymous.send(method, path, { raw: body, headers });
  return [status, answer ?? told];
}

const error = (text: string) => [400, { error: text }];

test('JSON, form and multipart bodies give the same parameters', async () => {
  const expected = [200, { name: 'é b', ids: [1, 2] }];
  assert.deepEqual(await post('{"name":"é b","ids":[1,"2"]}'), expected);
  assert.deepEqual(
    await post('{"name":"é b","ids":[1,"2"]}', { 'Content-Type': 'APPLICATION/JSON; charset=utf-8' }),
    expected,
  );
  assert.deepEqual(await post('name=%C3%A9+b&ids[]=1&ids%5B%5D=2', FORM_TYPE), expected);
  assert.deepEqual(await post('name=é b&ids[]=1&ids[]=2', FORM_TYPE), expected);
  const parts = [
    ['name', 'é b'],
    ['ids[]', '1'],
    ['ids[]', '2'],
  ];
  assert.deepEqual(await post(multipart(parts), MULTIPART), expected);
});

const MULTIPART = { 'Content-Type': 'multipart/form-data; boundary=edge' };
function multipart(parts: readonly (readonly string[])[]): string {
  const bodies = parts.map(
    ([name, value]) => `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${bodies.join('')}--edge--\r\n`;
}

test('merges query and body parameters; the body takes precedence', async () => {
  assert.deepEqual(await post('{"name":"body"}', JSON_TYPE, '/echo?name=query&ids[]=3'), [
    200,
    { name: 'body', ids: [3] },
  ]);
});

test('a POST without a type is a form', async () => {
  assert.deepEqual(await post('name=a', {}), [200, { name: 'a' }]);
});

test('an empty body with the JSON type has no parameters, on every method', async () => {
  for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
    const { status } = await anonymous.send(method, '/echo', { headers: JSON_TYPE });
    assert.equal(status, 200, method);
    assert.equal((await post('', JSON_TYPE, '/echo', method))[0], 200, method);
    assert.equal((await post('{"name":"a"}', JSON_TYPE, '/echo', method))[0], 200, method);
  }
  assert.deepEqual(await post('  \n'), [200, {}]);
});

test('JSON other than an object gives no parameters', async () => {
  for (const body of ['[1]', '"a"', '1', 'null', 'true']) assert.deepEqual(await post(body), [200, {}], body);
});

test('rejects JSON that is invalid, too deep or too large', async () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;
  const many = (count: number) => Array.from({ length: count }, () => 1);
  const keys = (count: number) => Object.fromEntries(many(count).map((_one, index) => [`k${index}`, 1]));
  assert.deepEqual(await post('{"a":'), error('Invalid JSON format'));
  assert.deepEqual(await post('{a:1}'), error('Invalid JSON format'));
  assert.deepEqual(await post(nested(32)), [200, {}]);
  assert.deepEqual(await post(nested(33)), error('Parameters nested too deeply'));
  assert.deepEqual(await post('['.repeat(1_000_000)), error('Invalid JSON format'));
  assert.deepEqual(await post(JSON.stringify({ a: many(50_000) })), [200, {}]);
  assert.deepEqual(await post(JSON.stringify({ a: many(50_001) })), error('Array parameter too large'));
  assert.deepEqual(await post(JSON.stringify(keys(50_001))), error('Hash parameter too large'));
  assert.deepEqual(await post(JSON.stringify({ a: many(50_000), b: many(49_998) })), [200, {}]);
  assert.deepEqual(
    await post(JSON.stringify({ a: many(50_000), b: many(49_999) })),
    error('Too many total parameters'),
  );
});

test('rejects NUL inside a JSON string and integers outside the range of numbers', async () => {
  assert.deepEqual(await post('{"name":"a\\u0000b"}'), error('name is invalid'));
  assert.deepEqual(await post('{"ids":[9007199254740992]}'), error('ids is invalid'));
  assert.deepEqual(await post('{"ids":[1e999]}'), error('ids is invalid'));
});

test('rejects NUL, invalid escapes and invalid UTF-8 in a form', async () => {
  const badBytes = Buffer.concat([Buffer.from('name=a'), Buffer.from([0xff, 0xfe])]);
  for (const body of ['name=%00', 'name=%zz', 'name=%', badBytes, 'name=a\u0000']) {
    assert.deepEqual(await post(body, FORM_TYPE), error('name is invalid'), String(body));
  }
  assert.deepEqual(await post('na%00me=a', FORM_TYPE), error('body is invalid'));
  for (const value of ['a\u0000b', 'a\u00ff']) {
    const body = Buffer.from(multipart([['name', value]]), 'latin1');
    assert.deepEqual(await post(body, MULTIPART), error('name is invalid'), value);
  }
  assert.deepEqual(await post(multipart([['name', '\ufffd']]), MULTIPART), [200, { name: '\ufffd' }]);
});

test('names such as __proto__ in JSON have no effect', async () => {
  assert.deepEqual(await post('{"__proto__":{"name":"x"},"constructor":1}'), [200, {}]);
});

test('rejects another media type only if there is a body', async () => {
  const refusal = [415, { error: "The provided content-type 'text/plain' is not supported." }];
  assert.deepEqual(await post('x', { 'Content-Type': 'text/plain; charset=utf-8' }), refusal);
  assert.deepEqual(await post('x', { 'Content-Type': 'text/plain' }, '/echo', 'PUT'), refusal);
  assert.deepEqual(await post('x', { 'Content-Type': 'garbage' }), [
    415,
    { error: "The provided content-type 'garbage' is not supported." },
  ]);
  assert.deepEqual(await post('', { 'Content-Type': 'text/plain' }), [200, {}]);
  assert.deepEqual(await post('{"name":"a"}', { 'Content-Type': 'text/plain' }, '/json'), [200, { name: 'a' }]);
  assert.deepEqual(await post('abc', { 'Content-Type': 'application/octet-stream' }, '/raw'), [200, { length: 3 }]);
});

test('a multipart file arrives with its name; a text parameter does not take one', async () => {
  const file = (name: string) =>
    `--edge\r\nContent-Disposition: form-data; name="${name}"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--edge--\r\n`;
  assert.deepEqual(await post(file('file'), MULTIPART, '/file'), [200, { filename: 'a.txt', text: 'hello' }]);
  assert.deepEqual(await post(file('name'), MULTIPART), error('name is invalid'));
});

test('rejects a multipart body without a boundary or an end', async () => {
  assert.deepEqual(await post('x', { 'Content-Type': 'multipart/form-data' }), error('Invalid multipart body'));
  assert.deepEqual(
    await post('--edge\r\nContent-Disposition: form-data; name="a"', MULTIPART),
    error('Invalid multipart body'),
  );
});

const MEBIBYTE = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Sends zeros until all are sent or the server answers. */
function upload(
  headers: Record<string, string>,
  mebibytes: number,
): Promise<{ status: number; text: string; mostMemory: number }> {
  const url = new URL(address);
  const chunk = Buffer.alloc(MEBIBYTE, '0');
  return new Promise((resolve, reject) => {
    let mostMemory = 0;
    const request = httpRequest(
      { host: url.hostname, port: url.port, method: 'POST', path: '/api/v4/echo', headers },
      (response) => {
        let told = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          told += part;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: told, mostMemory }));
      },
    );
    request.on('error', reject);
    let left = mebibytes;
    const more = () => {
      if (left % 50 === 0) {
        collectGarbage();
        mostMemory = Math.max(mostMemory, process.memoryUsage().arrayBuffers);
      }
      if (left-- > 0) request.write(chunk, more);
      else request.end();
    };
    more();
  });
}

test('returns 413 for a body over 10 MiB without buffering it', async () => {
  const before = process.memoryUsage().arrayBuffers;
  const declared = { ...JSON_TYPE, 'Content-Length': String(300 * MEBIBYTE) };
  for (const headers of [declared, { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' }]) {
    const { status, text: told, mostMemory } = await upload(headers, 300);
    assert.deepEqual([status, told], [413, '{"message":"413 Request Entity Too Large"}']);
    assert.ok(mostMemory - before < 50 * MEBIBYTE, `${mostMemory - before} bytes more`);
  }
});

test('a body of exactly 10 MiB is read', async () => {
  const more = 'a'.repeat(10 * MEBIBYTE - '{"more":""}'.length);
  const { status } = await anonymous.send('POST', '/echo', { raw: `{"more":"${more}"}`, headers: JSON_TYPE });
  assert.equal(status, 200);
});

test('returns 408 for a stalled body and closes the connection', async () => {
  for (const length of ['Content-Length: 100', 'Transfer-Encoding: chunked']) {
    const answer = await hasty.raw(
      `POST /api/v4/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${length}\r\n\r\n5\r\n{"a":`,
    );
    assert.match(answer, /^HTTP\/1\.1 408 /);
    assert.match(answer, /\r\nconnection: close\r\n/i);
    assert.match(answer, /\{"message":"408 Request Timeout"\}$/);
  }
});
