import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSpills, decodeSpilledBase64, SpilledText, type Spills } from './spilled-text.ts';
import { parseSpillingJson } from './spilling-json.ts';

async function withSpills(work: (spills: Spills, directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'hearth-spill-'));
  const spills = createSpills(directory);
  try {
    await work(spills, directory);
  } finally {
    await spills.dispose();
    await rm(directory, { recursive: true });
  }
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const long = `${'ä"\\\n\u0001😀\ud83d x/'.repeat(30_000)}end`;
const value = {
  branch: 'main',
  actions: [{ content: long, file_path: 'a"b\\' }, { content: 'short' }],
  'k"ey': [1, null, true],
};

test('long strings go to files, wherever chunks are cut; everything else is what JSON.parse gives', async () => {
  const bytes = Buffer.from(JSON.stringify(value));
  for (const size of [1021, 65_536, bytes.length]) {
    await withSpills(async (spills) => {
      const parsed = (await parseSpillingJson(inPieces(bytes, size), spills)) as typeof value;
      const content = parsed.actions[0]!.content as unknown;
      assert.ok(content instanceof SpilledText);
      assert.equal(await readFile(content.file, 'utf8'), long.toWellFormed());
      assert.deepEqual({ ...parsed, actions: [{ ...parsed.actions[0], content: long }, parsed.actions[1]] }, value);
    });
  }
});

test('broken JSON is a SyntaxError and leaves no file', async () => {
  const text = 'x'.repeat(300_000);
  for (const broken of [`{"a":"${text}`, `{"a":"${text}\\q"}`, `{"a":"${text}"`, `{"a":"${text}\\u12x4"}`]) {
    await withSpills(async (spills, directory) => {
      await assert.rejects(parseSpillingJson(inPieces(Buffer.from(broken), 4096), spills), SyntaxError);
      await spills.dispose();
      assert.deepEqual(await readdir(join(directory, 'tmp')), []);
    });
  }
});

test('base64 is decoded from file to file', async () => {
  await withSpills(async (spills) => {
    const bytes = Buffer.from(Array.from({ length: 400_001 }, (_, index) => index % 256));
    const encoded = bytes.toString('base64');
    const spill = async (text: string) => {
      const file = await spills.create();
      await file.write(Buffer.from(text));
      return file.end();
    };
    for (const text of [encoded, encoded.replace(/=+$/, ''), encoded.replace(/(.{76})/g, '$1\r\n')]) {
      const decoded = await decodeSpilledBase64(await spill(text), spills);
      assert.deepEqual(await readFile(decoded!.file), bytes);
    }
    for (const text of [`${encoded}!`, `A${encoded.slice(0, -4)}`, `${encoded}${encoded}`]) {
      assert.equal(await decodeSpilledBase64(await spill(text), spills), null);
    }
  });
});
