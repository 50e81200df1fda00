import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, ok } from '#http/endpoint/responses.ts';
import { requireRow } from '#runtime/failure.ts';
import { startMinimalServer } from '#test/support/minimal-server.ts';

/** How many more times the owner is missing during serialization. */
let gone = 0;

const Thing = entity('Thing', { id: Type.Integer() }).from(() => ({ id: requireRow(gone-- > 0 ? null : 7) }));

const readThing = endpoint({
  get: '/things',
  summary: 'Read',
  access: open(),
  response: ok(Thing),
  handle: () => ({}),
});

const createThing = endpoint({
  post: '/things',
  summary: 'Create',
  access: open(),
  response: created(Thing),
  handle: () => ({}),
});

const { anonymous, logged } = await startMinimalServer({ readThing, createThing });

test('retries a read whose row is deleted meanwhile', async () => {
  for (gone = 1; gone < 3; ) {
    const times = gone;
    assert.deepEqual((await anonymous.get('/things')).body, { id: 7 });
    gone = times + 1;
  }
});

test('retries a HEAD request whose row is deleted meanwhile', async () => {
  gone = 1;
  assert.equal((await anonymous.head('/things')).status, 200);
});

test('returns 409 for repeatedly deleted rows, and for a row deleted before a write is serialized', async () => {
  gone = 3;
  assert.equal((await anonymous.get('/things')).status, 409);
  gone = 1;
  assert.equal((await anonymous.post('/things')).status, 409);
  assert.doesNotMatch(logged(), /"level":"error"/);
});
