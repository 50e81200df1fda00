import assert from 'node:assert/strict';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { attack, head, startTarget } from './attack.ts';

// Error reports with a client key, which anyone can read from a page that reports its errors.

const target = await startTarget();
const MEBIBYTE = 2 ** 20;
const { id } = await target.done('POST', '/projects', { name: 'reporting' });
const { public_key } = await target.done('POST', `/projects/${id}/error_tracking/client_keys`);
// These tests do not concern the rate limit.
await target.done('PUT', `/projects/${id}/error_tracking/ingestion_settings?events_per_minute=1000000`);
const REPORTS = `/errortracking/api/v1/projects/api/${id}`;
const KEY = { 'X-Sentry-Auth': `Sentry sentry_key=${public_key}` };

type Kind = 'envelope' | 'store';

async function send(kind: Kind, body: Buffer, encoding?: string): Promise<number> {
  const headers = { ...KEY, ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }) };
  const { status } = await target.send('POST', `/${REPORTS}/${kind}/`, { headers, body });
  assert.ok(status < 500 || status === 503, `${kind} was answered ${status}`);
  return status;
}

const together = (count: number, work: (at: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)));

/** As much of it as an event may have, but for a few bytes more. */
function full(text: string, begin = '{"message":"m","a":[', end = ']}'): Buffer {
  const times = Math.floor((MEBIBYTE - 64 - begin.length - end.length) / Buffer.byteLength(text));
  return Buffer.from(begin + text.repeat(times) + end);
}
const many = (count: number, one: (at: number) => string) => Array.from({ length: count }, (_, at) => one(at)).join('');
const envelopeOf = (...events: readonly Buffer[]) =>
  Buffer.concat([
    Buffer.from('{}\n'),
    ...events.flatMap((event) => [Buffer.from('{"type":"event"}\n'), event, Buffer.from('\n')]),
  ]);

const EVENTS: Readonly<Record<string, () => Buffer>> = {
  'opening brackets': () => full('['),
  'objects in objects': () => full('{"a":', '', ''),
  'empty objects': () => full('{},', undefined, '{}]}'),
  'names by the thousand': () => Buffer.from(`{${many(50_000, (at) => `"name${at}":${at},`)}"a":1}`),
  'objects that differ': () => Buffer.from(`{"a":[${many(60_000, (at) => `{"n${at}":1},`)}1]}`),
  'exceptions by the thousand': () => full('{},', '{"exception":[', '{}]}'),
  'frames by the thousand': () => full('{},', '{"exception":{"stacktrace":{"frames":[', '{}]}}}'),
  'tags by the thousand': () => full('["a","b"],', '{"tags":[', '["a","b"]]}'),
  'a fingerprint without end': () => full('"{{ default }}",', '{"fingerprint":[', '1]}'),
  'a message that is a list': () => full('{},', '{"message":[', '{}]}'),
  'NUL characters': () => full('\\u0000', '{"message":"', '"}'),
  'half characters': () => full('\\ud800', '{"message":"', '"}'),
  backslashes: () => full('\\\\', '{"message":"\\u0000', '"}'),
  'blanks around nothing': () => full(' ', '', ''),
  'not UTF-8': () => Buffer.alloc(MEBIBYTE, 0xff),
};

for (const [name, make] of Object.entries(EVENTS)) {
  attack(`parses an event within the time limit and retains little memory: ${name}`, target, async () => {
    const event = make();
    await together(2, (at) =>
      at % 2 ? send('store', event) : send('envelope', gzipSync(envelopeOf(event), { level: 1 }), 'gzip'),
    );
  });
}

/** The reports whose errors members read back afterwards. */
const KEPT = ['empty objects', 'objects that differ', 'frames by the thousand', 'a message that is a list'] as const;

for (const name of KEPT) {
  const event = Buffer.concat([Buffer.from(`{"platform":"kept ${name}",`), EVENTS[name]!().subarray(1)]);
  const { id: eventId } = JSON.parse(
    (await target.send('POST', `/${REPORTS}/store/`, { headers: KEY, body: event })).text,
  );
  const errors = `/projects/${id}/error_tracking/errors`;
  const all = (await target.send('GET', `${errors}?per_page=100`)).body as { id: number; platform: string }[];
  const error = all.find(({ platform }) => platform === `kept ${name}`)!;

  attack(`returns an event within the time limit: ${name}`, target, async () => {
    for (const path of ['', '/events', `/events/${eventId}`]) {
      assert.equal((await target.send('GET', `${errors}/${error.id}${path}`)).status, 200);
    }
  });
}

const BOMB = Buffer.alloc(100 * MEBIBYTE, 0x20);
const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 24 } };
const deflated = deflateSync(BOMB);
const BOMBS: Readonly<Record<string, readonly [string, Buffer]>> = {
  gzip: ['gzip', gzipSync(BOMB)],
  'gzip in pieces': ['gzip', Buffer.concat(Array.from({ length: 5_000 }, () => gzipSync(BOMB.subarray(0, 65_536))))],
  deflate: ['deflate', deflated],
  // Removes the header and the checksum.
  'raw deflate': ['deflate', deflated.subarray(2, -4)],
  brotli: ['br', brotliCompressSync(BOMB, quick)],
};

for (const [name, [encoding, bomb]] of Object.entries(BOMBS)) {
  attack(`does not expand a decompression bomb in memory: ${name}`, target, async () => {
    await together(10, (at) => send(at % 2 ? 'store' : 'envelope', bomb, encoding));
  });
}

attack('does not expand a Base64 decompression bomb in memory', target, async () => {
  const bomb = Buffer.from(deflated.toString('base64'));
  await together(10, () => send('store', bomb));
});

attack('stores envelopes of many large events in batches', target, async () => {
  const event = full('1,', undefined, '1]}');
  const envelope = gzipSync(envelopeOf(...Array.from({ length: 8 }, () => event)), { level: 1 });
  await together(2, () => send('envelope', envelope, 'gzip'));
});

attack('stores envelopes of very many small events in batches', target, async () => {
  const envelope = envelopeOf(...Array.from({ length: 1_000 }, (_, at) => Buffer.from(`{"message":"m${at}"}`)));
  await together(4, () => send('envelope', envelope));
});

const LARGEST = 20 * MEBIBYTE;
const ENVELOPES: Readonly<Record<string, () => Buffer>> = {
  'nothing but ends of lines': () => Buffer.concat([Buffer.from('{}\n'), Buffer.alloc(LARGEST - 10, 0x0a)]),
  'a line without an end': () => Buffer.alloc(LARGEST, 0x20),
  'items that nobody reads': () =>
    Buffer.concat([Buffer.from('{}\n{"type":"profile"}\n'), Buffer.alloc(LARGEST - 100, 0x61)]),
  'items without anything': () => Buffer.from(`{}\n${'{"type":"x"}\n\n'.repeat(500_000)}`),
  'a length that is not there': () => Buffer.from('{}\n{"type":"event","length":9007199254740991}\n{}'),
  'sessions by the thousand': () =>
    Buffer.from(`{}\n${many(900, (at) => `{"type":"session"}\n{"sid":"${at}","attrs":{"release":"${at}"}}\n`)}`),
  'counts by the thousand': () =>
    Buffer.from(
      `{}\n{"type":"sessions"}\n{"attrs":{"release":"a"},"aggregates":[${many(80_000, () => '{"exited":1},')}{}]}`,
    ),
};

for (const [name, make] of Object.entries(ENVELOPES)) {
  attack(`parses an envelope within the time limit and retains little memory: ${name}`, target, async () => {
    const envelope = make();
    await together(2, () => send('envelope', envelope));
  });
}

attack('rejects bodies over the limit before they have arrived', target, async () => {
  await together(10, async () => {
    const declared = target.open(
      head('POST', `${REPORTS}/envelope/`, { ...KEY, 'Content-Length': 100 * MEBIBYTE }),
      '{}\n',
    );
    const chunked = target.open(
      head('POST', `${REPORTS}/store/`, { ...KEY, 'Transfer-Encoding': 'chunked' }),
      '1\r\n{\r\n',
    );
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MEBIBYTE), Buffer.from('\r\n')]);
    for (let sent = 0; sent < 30 && !chunked.destroyed; sent++) chunked.write(chunk);
    for (const socket of [declared, chunked]) {
      await new Promise((resolve) => socket.once('data', resolve).once('close', resolve));
      socket.destroy();
    }
  });
});

attack('slow or stalled senders do not delay other requests', target, async () => {
  const sockets = Array.from({ length: 200 }, (_, at) =>
    target.open(
      head('POST', `${REPORTS}/${at % 2 ? 'envelope' : 'store'}/`, {
        ...KEY,
        'Content-Encoding': 'gzip',
        'Content-Length': 500_000,
      }),
      gzipSync(envelopeOf(Buffer.from('{"message":"m"}'))).subarray(0, 20),
    ),
  );
  await together(20, () => send('envelope', envelopeOf(Buffer.from('{"message":"m"}'))));
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve).resume())));
});
