import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { createSecretMasker } from './append.ts';

async function through(pieces: readonly string[], secrets: readonly string[]): Promise<string> {
  const chunks: Buffer[] = [];
  const source = (async function* () {
    for (const piece of pieces) yield Buffer.from(piece, 'latin1');
  })();
  const mask = createSecretMasker(secrets, Buffer.alloc(0));
  for await (const piece of mask.maskChunks(source)) chunks.push(piece);
  return Buffer.concat([...chunks, mask.heldBytes]).toString('latin1');
}

const SECRET = 'glcbt-0123456789';
const MASK = '[MASKED]xxxxxxxx';

test('replaces a secret by a mask of the same length', async () => {
  assert.equal(await through([`a ${SECRET} b ${SECRET}${SECRET}`], [SECRET]), `a ${MASK} b ${MASK}${MASK}`);
});

test('finds a secret at any chunk boundary', async () => {
  const text = `before ${SECRET} after`;
  for (let at = 0; at <= text.length; at++) {
    assert.equal(await through([text.slice(0, at), text.slice(at)], [SECRET]), `before ${MASK} after`, `cut at ${at}`);
  }
  assert.equal(await through([...text], [SECRET]), `before ${MASK} after`, 'byte by byte');
});

test('masks all secrets and nothing else', async () => {
  const bytes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('');
  assert.equal(
    await through([`${bytes}tokentoken ${SECRET}`, bytes], [SECRET, 'tokentoken']),
    `${bytes}[MASKED]xx ${MASK}${bytes}`,
  );
  assert.equal(await through(['glcbt-012345678'], [SECRET]), 'glcbt-012345678');
  assert.equal(await through(['abc'], ['', 'long enough']), 'abc');
});

test('truncates the mask to the length of a short secret', async () => {
  assert.equal(await through(['a short b'], ['short']), 'a [MASK b');
});

test('holds back a possible start of a secret at the end of a chunk until the next one', async () => {
  for (const [text, held] of [
    ['abc', ''],
    ['abcg', 'g'],
    ['a glcbt-01', 'glcbt-01'],
    ['glcbtglcbt-', 'glcbt-'],
    [SECRET, ''],
  ] as const) {
    const mask = createSecretMasker([SECRET, 'other'], Buffer.alloc(0));
    await buffer(mask.maskChunks(Readable.from([Buffer.from(text)])));
    assert.equal(mask.heldBytes.toString(), held, text);
  }
  const next = createSecretMasker([SECRET], Buffer.from('glcbt-0'));
  const masked = await buffer(next.maskChunks(Readable.from([Buffer.from('123456789!')])));
  assert.equal(masked.toString(), `${MASK}!`);
});
