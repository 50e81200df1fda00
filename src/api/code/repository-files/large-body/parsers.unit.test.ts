import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { HttpError } from '#http/errors/http-error.ts';
import { parseForm, type RawParameters } from '#http/parameters/brackets.ts';
import { parseLargeForm } from './form-parser.ts';
import { parseLargeJson } from './json-parser.ts';
import { parseLargeMultipart } from './multipart-parser.ts';
import { isSpooledText, openSpoolFile, type SpoolFile } from './spooled-text.ts';

async function* splitIntoChunks(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield Buffer.from(bytes.subarray(at, at + length));
}

async function withSpool<Result>(work: (spool: SpoolFile) => Promise<Result>): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'hearth-spool-'));
  const spool = await openSpoolFile(join(directory, 'spool'));
  try {
    assert.deepEqual(await readdir(directory), [], 'no spool files are left');
    return await work(spool);
  } finally {
    await spool.close();
    await rm(directory, { recursive: true });
  }
}

/** Replaces spooled texts by their strings. */
async function resolveSpooledTexts(value: unknown): Promise<unknown> {
  if (isSpooledText(value)) {
    const chunks: Buffer[] = [];
    for await (const chunk of value.chunks()) chunks.push(chunk);
    assert.equal(Buffer.concat(chunks).length, value.size);
    return Buffer.concat(chunks).toString('utf8');
  }
  if (Array.isArray(value)) return Promise.all(value.map(resolveSpooledTexts));
  if (typeof value !== 'object' || value === null) return value;
  const pairs = await Promise.all(
    Object.entries(value).map(async ([key, item]) => [key, await resolveSpooledTexts(item)]),
  );
  return Object.fromEntries(pairs);
}

/** Expects the same result for every split into chunks. */
async function parseInAllSplits(
  bytes: Buffer,
  divert: (chunks: AsyncIterable<Buffer>, spool: SpoolFile) => Promise<RawParameters | null>,
): Promise<unknown> {
  const results: unknown[] = [];
  for (const length of [1, 2, 3, 7, 64, bytes.length + 1]) {
    results.push(
      await withSpool(async (spool) => resolveSpooledTexts(await divert(splitIntoChunks(bytes, length), spool))),
    );
  }
  for (const result of results) assert.deepEqual(result, results[0]);
  return results[0];
}

const NAUGHTY =
  'plain, "quoted", back\\slash / \b\f\n\r\t \u0000 ä € 𝄞 {"content":"inner"} \ud800 \udc00 \udc00\ud800 end';

test('parses JSON like JSON.parse and spools contents', async () => {
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
      const found = await parseInAllSplits(Buffer.from(text), parseLargeJson);
      assert.deepEqual(found, wellFormed(expected), text);
    }
  }
});

/** As UTF-8. */
function wellFormed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, item) => (typeof item === 'string' ? item.toWellFormed() : item));
}

/** The same JSON with escapes, also in names. */
function escapeAll(json: string): string {
  return json.replaceAll('ontent', '\\u006fnt\\u0065nt').replaceAll('/', '\\/');
}

test('drops contents outside of the known parameters', async () => {
  const parsed = await withSpool((spool) =>
    parseLargeJson(splitIntoChunks(Buffer.from('{"a":{"content":"x"},"b":"c"}'), 4), spool),
  );
  assert.equal(parsed?.b, 'c');
  assert.ok(!JSON.stringify(parsed).includes('"x"'));
});

test('uses the last of duplicate names', async () => {
  const found = await parseInAllSplits(
    Buffer.from('{"content":"a","content":"b","\\u0063ontent" : "c"}'),
    parseLargeJson,
  );
  assert.deepEqual(found, { content: 'c' });
});

test('rejects invalid JSON', async () => {
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
  for (const text of broken) assert.equal(await parseInAllSplits(Buffer.from(text), parseLargeJson), null, text);
  for (const bytes of [[0xff], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80]]) {
    const body = Buffer.concat([Buffer.from('{"content":"'), Buffer.from(bytes), Buffer.from('"}')]);
    assert.equal(await parseInAllSplits(body, parseLargeJson), null);
  }
});

test('cannot be tricked by a forged placeholder', async () => {
  const found = await withSpool(async (spool) => {
    const parsed = await parseLargeJson(
      splitIntoChunks(Buffer.from('{"content":"0","branch":"0","actions":[{"content":"1"}]}'), 9),
      spool,
    );
    return resolveSpooledTexts(parsed);
  });
  assert.deepEqual(found, { content: '0', branch: '0', actions: [{ content: '1' }] });
});

test('parses forms like the form parser', async () => {
  const bodies = [
    'branch=main&content=a%2Bb+c%0A%C3%A4&commit_message=m%20n',
    'content=&branch=x',
    'content&branch=x',
    'actions[][action]=create&actions[][content]=one&actions[][action]=create&actions%5B%5D%5Bcontent%5D=two',
    'actions[0][content]=x%F0%9D%84%9E&actions[1][content]=y',
    'content=a=b&&x=1&content=last',
  ];
  for (const body of bodies) {
    assert.deepEqual(
      await parseInAllSplits(Buffer.from(body), parseLargeForm),
      await resolveSpooledTexts(parseForm(body)),
      body,
    );
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
    const refused = parseInAllSplits(Buffer.from(body), parseLargeForm);
    await assert.rejects(refused, (error) => error instanceof HttpError && error.status === 400, body);
  }
});

test('spools multipart fields and rejects files', async () => {
  const headers = { 'content-type': 'multipart/form-data; boundary=xx' };
  const part = (name: string, value: string, more = '') =>
    `--xx\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  const divert = (chunks: AsyncIterable<Buffer>, spool: SpoolFile) => parseLargeMultipart(chunks, headers, spool);
  const good = `${part('branch', 'main')}${part('actions[][content]', 'ä\n--x')}${part('content', NAUGHTY.toWellFormed().replace('\0', ''))}--xx--\r\n`;
  assert.deepEqual(await parseInAllSplits(Buffer.from(good), divert), {
    branch: 'main',
    actions: [{ content: 'ä\n--x' }],
    content: NAUGHTY.toWellFormed().replace('\0', ''),
  });
  const file = `${part('content', 'x', '; filename="x"')}--xx--\r\n`;
  assert.equal(await parseInAllSplits(Buffer.from(file), divert), null);
  for (const body of [`${part('content', 'a\0b')}--xx--\r\n`, '--xx\r\nnothing']) {
    const refused = withSpool((spool) => divert(splitIntoChunks(Buffer.from(body), 5), spool));
    await assert.rejects(refused, (error) => error instanceof HttpError && error.status === 400);
  }
});

test('rejects multipart fields that are not UTF-8', async () => {
  const headers = { 'content-type': 'multipart/form-data; boundary=xx' };
  const part = (name: string, value: string | Buffer) =>
    Buffer.concat([
      Buffer.from(`--xx\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`),
      Buffer.from(value),
      Buffer.from('\r\n'),
    ]);
  const divert = (...parts: Buffer[]) =>
    parseInAllSplits(Buffer.concat([...parts, Buffer.from('--xx--\r\n')]), (chunks, spool) =>
      parseLargeMultipart(chunks, headers, spool),
    );
  const meant = part('author_name', 'who\ufffd');
  assert.deepEqual(await divert(meant, part('content', 'é')), { author_name: 'who\ufffd', content: 'é' });
  const isInvalidBody = (error: unknown) =>
    error instanceof HttpError && isDeepStrictEqual(error.body, { error: 'body is invalid' });
  await assert.rejects(divert(meant, part('commit_message', Buffer.of(0x61, 0xff))), isInvalidBody);
  await assert.rejects(divert(part('branch', Buffer.of(0xc3)), part('content', 'a')), isInvalidBody);
});
