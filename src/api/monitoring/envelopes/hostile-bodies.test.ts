import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildEventEnvelope, createReporter, getStatusAndDetail } from './sdk.testing.ts';

// Envelopes of many megabytes (contract/monitoring.md §10, §12).

const { sendEnvelope, listEvents } = await createReporter();
const MEBIBYTE = 2 ** 20;
const TOO_LARGE = [413, 'envelope exceeded size limits'];

let count = 0;
const createEvent = () => ({ event_id: (++count).toString(16).padStart(32, '0'), message: 'm' });
const encoded = (encoding: string) => ({ headers: { 'Content-Encoding': encoding } });

/** Returns an item of random bytes, which do not become smaller when compressed. */
const attachmentOf = (size: number) =>
  Buffer.concat([Buffer.from(`{"type":"attachment","length":${size}}\n`), randomBytes(size), Buffer.from('\n')]);

test('keeps the event before or after an attachment of any size', async () => {
  const attachment = attachmentOf(21 * MEBIBYTE);
  for (const [encoding, encode] of [
    ['identity', (bytes: Buffer) => bytes],
    ['gzip', (bytes: Buffer) => gzipSync(bytes, { level: 1 })],
  ] as const) {
    const [first, second] = [createEvent(), createEvent()];
    const [event, other] = [first, second].map((one) => `{"type":"event"}\n${JSON.stringify(one)}\n`);
    const raw = encode(Buffer.concat([Buffer.from(`{}\n${event}`), attachment, Buffer.from(other as string)]));
    const { status, body } = await sendEnvelope(raw, encoded(encoding));
    assert.deepEqual([status, body], [200, { id: first.event_id }], encoding);
    const ids = (await listEvents()).map(({ event_id }) => event_id);
    assert.ok(ids.includes(first.event_id) && ids.includes(second.event_id), encoding);
  }
});

test('keeps what precedes the limits of an envelope, and returns 413 if that is nothing', async () => {
  const tooMany = '{"type":"log"}\n\n'.repeat(1001);
  const longHeader = `{"type":"attachment","filename":"${'x'.repeat(20_000)}"}\nx\n`;
  const bomb = Buffer.concat([Buffer.from('{"type":"profile"}\n'), Buffer.alloc(201 * MEBIBYTE)]);
  for (const [name, rest] of Object.entries({ tooMany, longHeader, bomb })) {
    const event = createEvent();
    const good = Buffer.from(buildEventEnvelope(event));
    const send = (start: Buffer) =>
      sendEnvelope(gzipSync(Buffer.concat([start, Buffer.from(rest)]), { level: 1 }), encoded('gzip'));
    const { status, body } = await send(good);
    assert.deepEqual([status, body], [200, { id: event.event_id }], name);
    assert.ok((await listEvents()).some(({ event_id }) => event_id === event.event_id));
    assert.deepEqual(getStatusAndDetail(await send(Buffer.from('{}\n'))), TOO_LARGE, name);
  }
});
