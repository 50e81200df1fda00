import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { ZERO_ID } from '../refs/refs.ts';
import { readPushHeader } from './receive-pack.ts';

const toPacket = (line: string) => (line.length + 4).toString(16).padStart(4, '0') + line;

function createBody(refCount: number, capabilities = ''): string {
  const commands = Array.from({ length: refCount }, (_, index) =>
    toPacket(`${ZERO_ID} ${'1'.repeat(40)} refs/tags/v${index}${index === 0 ? `\0 report-status${capabilities}` : ''}`),
  );
  return `${commands.join('')}0000PACK and more`;
}

const CASES: [title: string, body: string, hasManyRefs: boolean, hasSideBand: boolean][] = [
  ['one ref', createBody(1), false, false],
  ['a side band', createBody(1, ' side-band-64k agent=git'), false, true],
  ['another side band', createBody(1, ' side-band agent=side-band-64kx'), false, false],
  ['ten refs', createBody(10), false, false],
  ['eleven refs', createBody(11, ' side-band-64k'), true, true],
  ['a shallow line first', toPacket(`shallow ${ZERO_ID}`) + createBody(11, ' side-band-64k'), true, true],
  ['no commands', '0000', false, false],
  ['nothing', '', false, false],
  ['another format', 'GET / HTTP/1.1', false, false],
  ['an incomplete packet', createBody(1).slice(0, 30), false, false],
];

test('reads the number of refs and the side band, and leaves the body complete', async () => {
  for (const [title, body, hasManyRefs, hasSideBand] of CASES) {
    for (const size of [1, 7, 100_000]) {
      const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
        Buffer.from(body.slice(index * size, (index + 1) * size)),
      );
      const result = await readPushHeader(Readable.from(chunks, { objectMode: false }));
      assert.deepEqual(result.header, { hasManyRefs, hasSideBand }, title);
      assert.equal(await text(result.body), body, title);
    }
  }
});

test('returns a body that fails if the client breaks off within the commands', async () => {
  const input = new Readable({ read() {} });
  input.push(createBody(1).slice(0, 30));
  const reading = readPushHeader(input);
  input.destroy(new Error('gone'));
  await assert.rejects(text((await reading).body), /gone/);
});

test('leaves a body to git whose commands do not end', async () => {
  let readBytes = 0;
  const body = Readable.from(
    (function* () {
      for (; readBytes < 2 ** 20; readBytes += 4096) yield Buffer.from('0004'.repeat(1024));
    })(),
    { objectMode: false },
  );
  const result = await readPushHeader(body);
  assert.deepEqual(result.header, { hasManyRefs: false, hasSideBand: false });
  assert.ok(readBytes < 2 ** 18, `${readBytes} bytes were read before git started`);
  assert.equal((await text(result.body)).length, 2 ** 20);
});
