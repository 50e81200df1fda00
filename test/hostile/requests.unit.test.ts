import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { attack, head, startTarget } from './attack.ts';

// Malformed requests, and very many connections. The server rejects or ignores them without a 5xx.

const target = await startTarget();
const { id } = await target.done('POST', '/projects', { name: 'strange', visibility: 'public' });
const repository = `/projects/${id}/repository`;
const content = 'x'.repeat(5000);
await target.done('POST', `${repository}/files/a.txt`, { branch: 'main', content, commit_message: 'a' });
const raw = `${repository}/files/a.txt/raw`;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };

const many = (count: number, one: (at: number) => string) => Array.from({ length: count }, (_, at) => one(at)).join('');

/** A connection that the server cuts off ends too. */
const ended = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

/** Returns everything that the server sends for these bytes until the connection closes; they request the close. */
async function answerTo(...bytes: string[]): Promise<string> {
  const socket = target.open(...bytes);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await ended(socket);
  const answer = Buffer.concat(chunks).toString('latin1');
  for (const [line, status] of answer.matchAll(/^HTTP\/1\.1 (\d{3}).*$/gm)) {
    assert.ok(Number(status) < 500, `${bytes[0]?.slice(0, 100)} was answered ${line}`);
  }
  return answer;
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
const closing = { Connection: 'close' };

async function survives(method: string, path: string, sending = {}): Promise<number> {
  const { status, text } = await target.send(method, path, sending);
  assert.ok(status < 500, `${method} ${path.slice(0, 200)} was answered ${status} ${text}`);
  return status;
}

attack('thousands of idle connections use little memory and time out', target, async () => {
  const sockets: Socket[] = [];
  for (let at = 0; at < 2000; at++) {
    const socket = target.open(head('GET', '/-/liveness'));
    sockets.push(socket);
    if (at % 50 === 49) await once(socket, 'data');
    else socket.resume();
  }
  const ends = sockets.map(ended);
  for (const socket of sockets) socket.destroy();
  await Promise.all(ends);
});

attack('ten thousand pipelined requests do not run at the same time', target, async () => {
  await answerTo(head('GET', `/api/v4${repository}/tree`).repeat(10_000));
  const some = await answerTo(head('GET', '/-/liveness').repeat(50) + head('GET', '/-/liveness', closing));
  assert.equal(some.match(/HTTP\/1\.1 200/g)?.length, 51);
});

attack('rejects or parses request heads that are long, duplicated or contradictory', target, async () => {
  const ask = (lines: string, path = '/api/v4/version') =>
    answerTo(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines}\r\n`);
  assert.equal(statusOf(await ask(many(100, (at) => `X-${at}: ${'a'.repeat(100)}\r\n`))), 401);
  assert.equal(statusOf(await ask(many(100, () => `X-A: ${'a'.repeat(100)}\r\n`))), 401);
  assert.equal(statusOf(await ask(many(100, () => 'PRIVATE-TOKEN: a\r\n'))), 401);
  assert.equal(statusOf(await ask(many(500, () => 'a:b\r\n'))), 401);
  assert.equal(statusOf(await ask(`Cookie: ${'a=b; '.repeat(13_000)}\r\n`)), 431);
  assert.equal(statusOf(await ask(`Cookie: ${'_service_session=b; '.repeat(700)}\r\n`)), 401);
  assert.equal(statusOf(await ask('', `/api/v4/version?${'a'.repeat(60_000)}`)), 431);
  for (const double of [
    'Content-Length: 1\r\nContent-Length: 2',
    'Transfer-Encoding: chunked, chunked',
    'Transfer-Encoding: chunked\r\nContent-Length: 1',
    'Transfer-Encoding: gzip',
    'Content-Length: -1',
    'Content-Length: 99999999999999999999',
    'Content-Length: 1e1',
  ]) {
    const status = statusOf(await answerTo(`POST /api/v4/projects HTTP/1.1\r\nHost: a\r\n${double}\r\n\r\na`));
    assert.ok(status >= 400, double);
  }
});

const ROUTES = [
  ['GET', '/projects/{}'],
  ['GET', '/groups/{}'],
  ['GET', '/users/{}'],
  ['GET', '/namespaces/{}'],
  ['GET', `${repository}/files/{}?ref=main`],
  ['GET', `${repository}/files/a.txt/raw?ref={}`],
  ['GET', `${repository}/branches/{}`],
  ['GET', `${repository}/commits/{}`],
  ['GET', `${repository}/tags/{}`],
  ['GET', `${repository}/blobs/{}`],
  ['GET', `${repository}/tree?path={}`],
  ['GET', `${repository}/archive.{}`],
  ['GET', `${repository}/compare?from={}&to=main`],
  ['DELETE', `/projects/${id}/protected_branches/{}`],
  ['GET', '//root/{}/info/refs?service=git-upload-pack'],
] as const;

attack('handles every special byte in every part of a path', target, async () => {
  const bytes = Array.from({ length: 256 }, (_, byte) => `%${byte.toString(16).padStart(2, '0')}`);
  // Letters and digits are no surprise, and beyond ASCII none is UTF-8 by itself.
  const strange = bytes.filter((byte, at) => (at < 128 ? !/\w/.test(decodeURIComponent(byte)) : at % 16 === 0));
  for (const [method, route] of ROUTES) {
    await Promise.all(strange.map((byte) => survives(method, route.replace('{}', byte))));
  }
});

const NASTY = [
  '..',
  '%2e%2e',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '..%2f..%2f..%2f..%2fetc%2fpasswd',
  '%252e%252e%252f',
  '.git%2fconfig',
  '%c0%ae%c0%ae%2f',
  '%00',
  'a%00.txt',
  '%2f%2f%2f',
  '%5c..%5c',
  '-',
  '--help',
  '--output=%2ftmp%2fx',
  '%3Aa',
  '@%7B-1%7D',
  'main%5E%7Btree%7D',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '%F0%9F%92%A9'.repeat(200),
  'a'.repeat(8000),
  '%2e'.repeat(2500),
  'a%2f'.repeat(2000),
];

attack('path traversal and injection have no effect', target, async () => {
  for (const [method, route] of ROUTES) {
    for (const name of NASTY) {
      const { status, text } = await target.send(method, route.replace('{}', name));
      assert.ok(status < 500, `${method} ${route} with ${name.slice(0, 100)} was answered ${status}`);
      assert.doesNotMatch(text, /root:x:|\[core\]/);
    }
  }
});

attack('names with a meaning in JavaScript are ordinary names', target, async () => {
  const deep = '{"__proto__":'.repeat(30) + '1' + '}'.repeat(30);
  for (const body of [
    '{"__proto__":{"admin":true},"name":"a","path":"a/b"}',
    '{"constructor":{"prototype":{"x":1}},"name":"a","path":"a/b"}',
    '{"name":"a","name":"b","path":"a/b"}',
    `{"name":"a","path":"a/b","topics":${deep}}`,
    '{"toString":1,"valueOf":1,"name":{"toString":1},"path":"a/b"}',
  ]) {
    assert.equal(await survives('POST', '/projects', { headers: JSON_TYPE, body }), 400, body);
  }
  for (const body of [
    'a[__proto__][x]=1&path=a/b&name=a',
    '__proto__[admin]=1&path=a/b&name=a',
    '__proto__=1&constructor[prototype][x]=1&path=a/b&name=a',
    'name[__proto__][]=1&path=a/b',
    'path=a/b&name=a&topics[__proto__]=1&topics[length]=99999999',
  ]) {
    assert.equal(await survives('POST', '/projects', { headers: FORM_TYPE, body }), 400, body);
    await survives('GET', `/projects?${body}`);
  }
  assert.deepEqual((await target.send('GET', '/user?__proto__[x]=1')).body.x, undefined);
});

attack('parses headers with very many values within the time limit', target, async () => {
  const ask = (headers: Record<string, string>) => survives('GET', `${raw}?ref=main`, { headers });
  const ranges = Array.from({ length: 1000 }, (_, at) => `${at * 3}-${at * 3}`);
  for (const range of [`bytes=${ranges.join()}`, 'bytes=0-0,-1', 'bytes=9-0', `bytes=-${'9'.repeat(5000)}`, 'x=1-2']) {
    await ask({ Range: range });
  }
  const tags = many(3500, (at) => `"${at}",`).slice(0, 15_000);
  for (const path of ['/projects', `${raw}?ref=main`]) {
    for (const tag of [tags, ','.repeat(15_000), 'W/'.repeat(7000), '"'.repeat(15_000)]) {
      await survives('GET', path, { headers: { 'If-None-Match': tag } });
    }
  }
  for (const encoding of ['gzip;q=', '*;q=0', 'identity;q=0', ','.repeat(15_000), 'br;q=1.0000000000001', '\u00ff']) {
    await ask({ 'Accept-Encoding': encoding });
  }
  for (const one of [
    'Accept',
    'Origin',
    'If-Modified-Since',
    'X-Forwarded-For',
    'Content-Type',
    'Sudo',
    'Authorization',
  ]) {
    for (const value of [','.repeat(15_000), ';'.repeat(15_000), 'a '.repeat(7_000), '='.repeat(15_000), 'Basic ===']) {
      await survives('GET', '/projects', { headers: { [one]: value } });
    }
  }
});

/** Returns the responses to incomplete bodies that are sent at once. */
async function answersToHalves(count: number): Promise<string[]> {
  const mebibyte = Buffer.alloc(2 ** 20 - 1000, 'a');
  const sockets = Array.from({ length: count }, () =>
    target.open(head('POST', '/api/v4/projects', { 'Content-Length': 2 ** 20, ...FORM_TYPE, ...closing }), mebibyte),
  );
  return Promise.all(
    sockets.map(async (socket) => {
      let answer = '';
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
      await ended(socket);
      return answer;
    }),
  );
}

attack('does not buffer hundreds of incomplete bodies', target, async () => {
  let refused: string[] = [];
  // On a busy machine the first may time out before enough others have arrived.
  for (let tries = 0; tries < 5 && refused.length === 0; tries++) {
    refused = (await answersToHalves(300)).filter((answer) => statusOf(answer) === 503);
  }
  assert.ok(refused.length > 0);
  for (const answer of refused) assert.match(answer, /\r\nRetry-After: 10\r\n/);
});
