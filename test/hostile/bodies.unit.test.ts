import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { attack, startTarget } from './attack.ts';

// Bodies that are made to be slow to read, or to fill the memory. None of their senders is known to the server.

const target = await startTarget();
const MEBIBYTE = 2 ** 20;
const { id } = await target.done('POST', '/projects', { name: 'bombed', visibility: 'public' });
const repository = `/projects/${id}/repository`;
const basic = { Authorization: `Basic ${Buffer.from(`root:${target.asRoot['PRIVATE-TOKEN']}`).toString('base64')}` };

/** The largest body that the server reads. Superlinear cost already shows with smaller bodies. */
const LARGEST = 10 * MEBIBYTE;

/** As much of it as this body may have. */
function full(text: string, begin = '', end = '', most = 4 * MEBIBYTE): Buffer {
  const times = Math.floor((most - begin.length - end.length) / Buffer.byteLength(text));
  return Buffer.from(begin + text.repeat(times) + end);
}

const part = (name: string, value: string) =>
  `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const header = (line: string) => `--edge\r\nContent-Disposition: form-data; name="a"\r\n${line}\r\n\r\nb\r\n`;
const many = (count: number, one: (at: number) => string) => Array.from({ length: count }, (_, at) => one(at)).join('');

const JSON_BODIES: Readonly<Record<string, () => Buffer>> = {
  'opening brackets': () => full('['),
  brackets: () => Buffer.concat([full('[', '', '', 5 * MEBIBYTE), full(']', '', '', 5 * MEBIBYTE)]),
  'objects in objects': () => full('{"a":'),
  numbers: () => full('1,', '{"a":[', '1]}'),
  'empty objects': () => full('{},', '{"a":[', '{}]}'),
  'one text': () => full('x', '{"name":"', '"}', LARGEST),
  escapes: () => full('\\u0041', '{"name":"', '"}', LARGEST),
  'quotes in quotes': () => full('\\"', '{"name":"', '"}'),
  'text beyond ASCII': () => full('é', '{"name":"', '"}', LARGEST),
  'one number': () => full('1', '{"name":', '}', LARGEST),
  blanks: () => full(' '),
  'names by the thousand': () => Buffer.from(`{${many(49_999, (at) => `"name${at}":${at},`)}"a":1}`),
  'long names': () => Buffer.from(`{${many(40_000, (at) => `"${'n'.repeat(200)}${at}":${at},`)}"a":1}`),
  'the same name': () => full('"a":1,', '{', '"a":1}'),
  'not UTF-8': () => Buffer.alloc(10 * MEBIBYTE, 0xff),
};

const FORMS: Readonly<Record<string, () => Buffer>> = {
  'hashes in an array': () => full('a[][b]=1&'),
  'arrays in arrays': () => full('a[][][][][][][]=1&'),
  'deep names': () => full('[a]', 'a'),
  'opening brackets': () => full('[', 'a'),
  'nothing but ends': () => full('&'),
  'nothing but signs': () => full('='),
  'names without values': () => full('a&'),
  'names without an end': () => full('a'),
  escapes: () => full('%41', 'name=', '', LARGEST),
  'escapes in names': () => full('%5B', 'a'),
  'broken escapes': () => full('%'),
  'names by the thousand': () => Buffer.from(many(99_999, (at) => `name${at}=${at}&`)),
  'keys by the thousand': () => Buffer.from(many(99_999, (at) => `a[name${at}]=${at}&`)),
  'elements by the thousand': () => Buffer.from(many(99_999, (at) => `a[][k${at % 7}]=${at}&`)),
};

const MULTIPARTS: Readonly<Record<string, () => Buffer>> = {
  'bad parts': () =>
    Buffer.from(
      many(20_000, () => part('a', '\u00ff')),
      'latin1',
    ),
  'a bad part at last': () =>
    Buffer.concat([full(part('a', 'b')), Buffer.from(part('a', '\u00ff'), 'latin1')]).subarray(-10 * MEBIBYTE),
  'empty parts': () => full(part('a', '')),
  'one part': () => full('x', part('name', '').trimEnd() + '\r\n\r\n', '\r\n--edge--'),
  'long headers': () => full(header(`X-A: ${'a'.repeat(60_000)}`)),
  'many headers': () => full(header(many(1500, (at) => `X-${at}: 1\r\n`).trimEnd())),
  'folded headers': () => full(header(`X-A: 1${'\r\n 1'.repeat(15_000)}`)),
  'quotes in names': () => full(part('\\"'.repeat(4000), 'b')),
  'beginnings of ends': () => full('\r\n--edg', part('a', '')),
  'ends of lines': () => full('\r\n', part('a', '')),
  dashes: () => full('-', '--edge'),
  files: () => full('--edge\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\nc\r\n'),
};

/** A body that is refused or taken, but is no fault of the server. */
async function survives(path: string, type: string, body: Buffer, headers = {}): Promise<void> {
  const { status } = await target.send('POST', path, { headers: { 'Content-Type': type, ...headers }, body });
  assert.ok(status < 500, `${path} was answered ${status}`);
}

/** Those of files and commits are read in another way. */
const COMMITTED: readonly string[] = [
  'numbers',
  'one text',
  'escapes',
  'hashes in an array',
  'deep names',
  'bad parts',
  'one part',
];

for (const [kind, type, bodies] of [
  ['JSON', 'application/json', JSON_BODIES],
  ['a form', 'application/x-www-form-urlencoded', FORMS],
  ['a multipart body', 'multipart/form-data; boundary=edge', MULTIPARTS],
] as const) {
  for (const [name, make] of Object.entries(bodies)) {
    attack(`${kind} is parsed within the time limit and retains little memory: ${name}`, target, async () => {
      const body = make();
      await survives('/projects', type, body);
      if (COMMITTED.includes(name)) await survives(`${repository}/commits`, type, body);
    });
  }
}

attack('parses LFS batches of nested brackets within the time limit', target, async () => {
  const headers = basic;
  for (const name of ['brackets', 'numbers', 'empty objects']) {
    const body = JSON_BODIES[name]!();
    await survives('//root/bombed.git/info/lfs/objects/batch', 'application/vnd.git-lfs+json', body, headers);
  }
});

const bomb = gzipSync(Buffer.alloc(200 * MEBIBYTE));

attack('does not expand decompression bombs in memory', target, async () => {
  for (const service of ['git-upload-pack', 'git-receive-pack']) {
    const headers = { ...basic, 'Content-Encoding': 'gzip' };
    await survives(`//root/bombed.git/${service}`, `application/x-${service}-request`, bomb, headers);
  }
  await survives('/projects', 'application/json', bomb, { 'Content-Encoding': 'gzip' });
});
