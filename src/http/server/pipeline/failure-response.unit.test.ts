import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { type ErrorTable, INVALID } from '#http/errors/error-messages.ts';
import { fail } from '#runtime/failure.ts';
import { toHttpError } from './execute.ts';

const errors: ErrorTable = {
  gone: [404, '404 Thing Not Found'],
  taken: [409, 'Path {path} is taken by {owner}'],
  invalid: INVALID,
  framework: [405, { error: 'not {what}' }],
  nested: [400, { message: { base: ['{a} and {b}'], count: '{count}' } }],
  later: [429, 'Later', { 'Retry-After': '{seconds}' }],
};
const endpoint = { name: 'createThing', source: 'things/endpoints.ts', errors } as unknown as Endpoint;

const answered = (code: string, values = {}) => {
  const { status, body, headers } = toHttpError(endpoint, fail(code, values));
  return [status, body, headers];
};

test('maps a failure code to its declared status and text', () => {
  assert.deepEqual(answered('gone'), [404, { message: '404 Thing Not Found' }, {}]);
  assert.deepEqual(answered('framework', { what: 'now' }), [405, { error: 'not now' }, {}]);
});

test('fills placeholders with values; a sole placeholder keeps the type of the value', () => {
  assert.deepEqual(answered('taken', { path: 'a/b', owner: '{path}' }), [
    409,
    { message: 'Path a/b is taken by {path}' },
    {},
  ]);
  assert.deepEqual(answered('invalid', { errors: { name: ["can't be blank"] } }), [
    400,
    { message: { name: ["can't be blank"] } },
    {},
  ]);
  assert.deepEqual(answered('nested', { a: 1, b: 2, count: 3 }), [
    400,
    { message: { base: ['1 and 2'], count: 3 } },
    {},
  ]);
  assert.deepEqual(answered('later', { seconds: 60 }), [429, { message: 'Later' }, { 'Retry-After': '60' }]);
});

test('never interprets text of clients as a placeholder', () => {
  assert.deepEqual(answered('taken', { path: "$& $1 $'", owner: 'x' })[1], { message: "Path $& $1 $' is taken by x" });
});

test('throws an error that names file and endpoint for an undeclared code', () => {
  assert.throws(
    () => answered('unheard'),
    /things\/endpoints\.ts: createThing returned the failure 'unheard', which is not declared in its errors/,
  );
});
