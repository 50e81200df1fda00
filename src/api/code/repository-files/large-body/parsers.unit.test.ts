import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { HttpError } from '#http/errors/http-error.ts';
import { parseForm, type Raw } from '#http/parameters/brackets.ts';
import { divertForm } from './form-parser.ts';
import { divertJson } from './json-parser.ts';
import { divertMultipart } from './multipart-parser.ts';
import { openSpool, type Spool } from './spool-file.ts';
import { isLongText } from './spooled-text.ts';

async function* cut(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield Buffer.from(bytes.subarray(at, at + length));
}

async function withSpool<Result>(work: (spool: Spool) => Promise<Result>): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'hearth-spool-'));
  const spool = await openSpool(join(directory, 'spool'));
  try {
    assert.deepEqual(await readdir(directory), [], 'nothing stays behind');
    return await work(spool);
  } finally {
    await spool.close();
    await rm(directory, { recursive: true });
  }
}

/** Every long text as the string that it stands for. */
async function plain(value: unknown): Promise<unknown> {
  if (isLongText(value)) {
    const chunks: Buffer[] = [];
    for await (const chunk of value.chunks()) chunks.push(chunk);
    assert.equal(Buffer.concat(chunks).length, value.size);
    return Buffer.concat(chunks).toString('utf8');
  }
  if (Array.isArray(value)) return Promise.all(value.map(plain));
  if (typeof value !== 'object' || value === null) return value;
  const pairs = await Promise.all(Object.entries(value).map(async ([key, item]) => [key, await plain(item)]));
  return Object.fromEntries(pairs);
}

/** The same, however the bytes are cut. */
async function always(
  bytes: Buffer,
  divert: (chunks: AsyncIterable<Buffer>, spool: Spool) => Promise<Raw | null>,
): Promise<unknown> {
  const results: unknown[] = [];
  for (const length of [1, 2, 3, 7, 64, bytes.length + 1]) {
    results.push(await withSpool(async (spool) => plain(await divert(cut(bytes, length), spool))));
  }
  for (const result of results) assert.deepEqual(result, results[0]);
  return results[0];
}

const NAUGHTY =
  'plain, "quoted", back\\slash / \b\f\n\r\t \u0000 ä € 𝄞 {"content":"inner"} \ud800 \udc00 \udc00\ud800 end';

test('JSON gives what JSON.parse gives, contents through the spool', async () => {
  const bodies = [
    { content: NAUGHTY, branch: 'main', commit_message: 'm' },
    { branch: 'content', content: '', encoding: null, deep: { list: ['content', { content: 1 }] } },
    { content: null },
    { content: { a: 1 } },
    { actions: [{ action: 'create', file_path: 'a', content: NAUGHTY }, { content: 'b' }, 'content', null] },
    { content: ['content'], 'con\\tent': 'content', tail: '\\' },
    {},
    [],
    'content',
    5,
    null,
  ];
  for (const body of bodies) {
    for (const text of [JSON.stringify(body), JSON.stringify(body, null, 2), escapeAll(JSON.stringify(body))]) {
      const expected = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
      const found = await always(Buffer.from(text), divertJson);
      assert.deepEqual(found, wellFormed(expected), text);
    }
  }
});

/** As UTF-8 has it. */
function wellFormed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, item) => (typeof item === 'string' ? item.toWellFormed() : item));
}

/** The same, written otherwise: names too. */
function escapeAll(json: string): string {
  return json.replaceAll('ontent', '\\u006fnt\\u0065nt').replaceAll('/', '\\/');
}

test('a content where nobody looks for one is left out', async () => {
  const given = await withSpool((spool) => divertJson(cut(Buffer.from('{"a":{"content":"x"},"b":"c"}'), 4), spool));
  assert.equal(given?.b, 'c');
  assert.ok(!JSON.stringify(given).includes('"x"'));
});

test('of one name that comes twice the last counts', async () => {
  const found = await always(Buffer.from('{"content":"a","content":"b","\\u0063ontent" : "c"}'), divertJson);
  assert.deepEqual(found, { content: 'c' });
});

test('what is no JSON is none', async () => {
  const broken = [
    '{"content":"abc',
    '{"content":"a\\x"}',
    '{"content":"a\\u12g4"}',
    '{"content":"a\nb"}',
    '{"content":"a" "b":1}',
    '{"content" "a"}',
    '{"a":}',
    '{"content":"a"}}',
  ];
  for (const text of broken) assert.equal(await always(Buffer.from(text), divertJson), null, text);
  for (const bytes of [[0xff], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80]]) {
    const body = Buffer.concat([Buffer.from('{"content":"'), Buffer.from(bytes), Buffer.from('"}')]);
    assert.equal(await always(body, divertJson), null);
  }
});

test('a stand-in cannot be forged', async () => {
  const found = await withSpool(async (spool) => {
    const given = await divertJson(
      cut(Buffer.from('{"content":"0","branch":"0","actions":[{"content":"1"}]}'), 9),
      spool,
    );
    return plain(given);
  });
  assert.deepEqual(found, { content: '0', branch: '0', actions: [{ content: '1' }] });
});

test('a form gives what a form gives', async () => {
  const bodies = [
    'branch=main&content=a%2Bb+c%0A%C3%A4&commit_message=m%20n',
    'content=&branch=x',
    'content&branch=x',
    'actions[][action]=create&actions[][content]=one&actions[][action]=create&actions%5B%5D%5Bcontent%5D=two',
    'actions[0][content]=x%F0%9D%84%9E&actions[1][content]=y',
    'content=a=b&&x=1&content=last',
  ];
  for (const body of bodies) {
    assert.deepEqual(await always(Buffer.from(body), divertForm), await plain(parseForm(body)), body);
  }
  for (const body of [
    'content=%',
    'content=%4',
    'content=%zz&a=b',
    'content=%00',
    'content=%ff',
    'content=%c3&content=%a4',
    'a=%ff',
  ]) {
    const refused = always(Buffer.from(body), divertForm);
    await assert.rejects(refused, (error) => error instanceof HttpError && error.status === 400, body);
  }
});

test('multipart fields go the same way, files are refused', async () => {
  const headers = { 'content-type': 'multipart/form-data; boundary=xx' };
  const part = (name: string, value: string, more = '') =>
    `--xx\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  const divert = (chunks: AsyncIterable<Buffer>, spool: Spool) => divertMultipart(chunks, headers, spool);
  const good = `${part('branch', 'main')}${part('actions[][content]', 'ä\n--x')}${part('content', NAUGHTY.toWellFormed().replace('\0', ''))}--xx--\r\n`;
  assert.deepEqual(await always(Buffer.from(good), divert), {
    branch: 'main',
    actions: [{ content: 'ä\n--x' }],
    content: NAUGHTY.toWellFormed().replace('\0', ''),
  });
  const file = `${part('content', 'x', '; filename="x"')}--xx--\r\n`;
  assert.equal(await always(Buffer.from(file), divert), null);
  for (const body of [`${part('content', 'a\0b')}--xx--\r\n`, '--xx\r\nnothing']) {
    const refused = withSpool((spool) => divert(cut(Buffer.from(body), 5), spool));
    await assert.rejects(refused, (error) => error instanceof HttpError && error.status === 400);
  }
});

test('multipart fields that are not UTF-8 are refused, whatever stands beside them', async () => {
  const headers = { 'content-type': 'multipart/form-data; boundary=xx' };
  const part = (name: string, value: string | Buffer) =>
    Buffer.concat([
      Buffer.from(`--xx\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`),
      Buffer.from(value),
      Buffer.from('\r\n'),
    ]);
  const divert = (...parts: Buffer[]) =>
    always(Buffer.concat([...parts, Buffer.from('--xx--\r\n')]), (chunks, spool) =>
      divertMultipart(chunks, headers, spool),
    );
  const meant = part('author_name', 'who\ufffd');
  assert.deepEqual(await divert(meant, part('content', 'é')), { author_name: 'who\ufffd', content: 'é' });
  const isBadText = (error: unknown) => error instanceof HttpError && error.body === 'Bad Request';
  await assert.rejects(divert(meant, part('commit_message', Buffer.of(0x61, 0xff))), isBadText);
  await assert.rejects(divert(part('branch', Buffer.of(0xc3)), part('content', 'a')), isBadText);
});
