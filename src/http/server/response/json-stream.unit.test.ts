import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { Type } from 'typebox';
import { LongText } from '#database/long-texts.ts';
import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { rawEntity } from '#http/endpoint/entity.ts';
import { page } from '#http/endpoint/responses.ts';
import { startMinimalServer } from '#test/support/minimal-server.ts';
import { StreamedText } from '#text/streamed-text.ts';
import { toJson } from './json-stream.ts';

const long = 'ä"\n'.repeat(100_000);

test('a list has the same JSON whether it is serialized at once or streamed', async () => {
  for (const rows of [[], [1], [null, undefined, 'a', { b: [] }]]) assert.equal(toJson(rows), JSON.stringify(rows));
  for (const rows of [
    Array.from({ length: 40 }, (_, id) => ({ id, long })),
    [long.repeat(20)],
    [1, long.repeat(20), 2],
  ]) {
    const made = await toJson(rows);
    assert.ok(typeof made === 'object');
    const whole = JSON.stringify(rows);
    assert.ok((await text(made.stream())) === whole);
    assert.equal(await made.hash(), hash('sha1', whole));
  }
});

test('JSON of more than 256 KiB is built in several turns of the event loop', async () => {
  const rows = Array.from({ length: 5_000 }, (_, id) => ({ id, name: 'a name that is not long, but comes often' }));
  const result = toJson(rows);
  assert.ok(result instanceof Promise);
  assert.ok((await result) === JSON.stringify(rows));
});

test('an object with a long list has the same JSON when streamed', async () => {
  const many = Array.from({ length: 101 }, (_, id) => ({ id }));
  const few = { b: 1, none: undefined, list: [], end: [1] };
  for (const value of [
    few,
    { many },
    { a: 1, many, none: undefined },
    { ...few, many, ...few, z: null },
    { many, list: [] },
  ]) {
    assert.equal(toJson(value), JSON.stringify(value));
  }
  const value = { id: 1, many: many.map((row) => ({ ...row, long })), end: 'x' };
  const made = await toJson(value);
  assert.ok(typeof made === 'object');
  assert.ok((await text(made.stream())) === JSON.stringify(value));
});

test('a very long text has the same JSON and is never serialized at once', async () => {
  const content = `x${'😀"'.repeat(1_500_000)}\ud800`;
  const value = { id: 1, content, end: [content, { content: 'y' }] };
  const made = await toJson(value);
  assert.ok(typeof made === 'object');
  const parts: string[] = await made.stream().toArray();
  assert.ok(parts.join('') === JSON.stringify(value));
  assert.ok(parts.every((part) => part.length < 200_000));
  assert.equal(await made.hash(), hash('sha1', JSON.stringify(value)));
});

test('sends very many short rows in one chunk', async () => {
  const rows = Array.from({ length: 100_000 }, (_, id) => ({ id, name: 'a name that is not long, but comes often' }));
  const made = await toJson(rows);
  assert.ok(typeof made === 'object');
  const parts: string[] = await made.stream().toArray();
  assert.ok(parts.length < 200, `${parts.length} parts`);
  assert.ok(parts.join('') === JSON.stringify(rows));
});

test('reads a lazily loaded text when its position is reached', async () => {
  const later = (said: string | null) => new LongText(async () => said);
  const row = { first: later('"a"'), in: [{ text: later(null) }, { text: later('ä') }], last: 1 };
  const told = '{"first":"\\"a\\"","in":[{"text":null},{"text":"ä"}],"last":1}';
  for (const [value, whole] of [
    [row, told],
    [[{}, row, 2], `[{},${told},2]`],
    [[row, row], `[${told},${told}]`],
    [{ a: 1, rows: Array(101).fill(row) }, `{"a":1,"rows":[${Array(101).fill(told).join()}]}`],
  ] as const) {
    const made = await toJson(value);
    assert.ok(typeof made === 'object');
    assert.equal(await text(made.stream()), whole);
    assert.equal(await made.hash(), hash('sha1', whole));
  }
});

test('encodes a streamed text in place, and destroys it with its response', async () => {
  const chunks = ['a', 'bcde', '', 'fg', 'h'].map((part) => Buffer.from(part));
  const make = async () => {
    const content = Readable.from(chunks, { objectMode: false });
    const json = await toJson({ id: 1, content: new StreamedText('9f', content), end: [2] });
    assert.ok(typeof json === 'object');
    return { content, json };
  };
  const { json } = await make();
  assert.equal(await json.hash(), hash('sha1', '{"id":1,"content":9f,"end":[2]}'));
  assert.equal(await text(json.stream()), '{"id":1,"content":"YWJjZGVmZ2g=","end":[2]}');
  for (const end of [(made: typeof json) => made.discard(), (made: typeof json) => made.stream().destroy()]) {
    const unread = await make();
    end(unread.json);
    if (!unread.content.destroyed) await once(unread.content, 'close');
  }
});

test('sends a very long list completely, with pagination headers', async () => {
  const rows = Array.from({ length: 40 }, (_, id) => ({ id, long }));
  const listLong = endpoint({
    get: '/long',
    summary: 'Long texts',
    access: open(),
    response: page(rawEntity(Type.Object({ id: Type.Integer(), long: Type.String() }))),
    read: () => ({ items: rows, total: 40, hasMore: false }),
  });
  const { anonymous } = await startMinimalServer({ listLong });
  for (const _ of [1, 2]) {
    const { status, headers, bytes } = await anonymous.get('/long');
    assert.deepEqual([status, headers['x-total'], headers['content-type']], [200, '40', 'application/json']);
    assert.ok(bytes.equals(Buffer.from(JSON.stringify(rows))));
  }
  const { headers } = await anonymous.head('/long');
  assert.equal(headers['x-total'], '40');
  assert.equal(headers.etag, `W/"${hash('sha1', JSON.stringify(rows))}"`);
  assert.equal(headers['cache-control'], 'max-age=0, private, must-revalidate');
  const again = await anonymous.get('/long', undefined, { 'If-None-Match': String(headers.etag) });
  assert.deepEqual([again.status, again.text, again.headers['x-total']], [304, '', '40']);
});
