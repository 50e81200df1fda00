import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import { createUnsubscribeToken, parseUnsubscribeToken } from './unsubscribe-link.ts';

const key = createSecretKey(Buffer.alloc(32, 1));

test('decodes subject and user from a link of this server', () => {
  for (const what of ['Issue', 'MergeRequest', 'Epic', 'Project', 'Digest'] as const) {
    const leaving = { target: what, id: 88, userId: 7 };
    assert.deepEqual(parseUnsubscribeToken(key, createUnsubscribeToken(key, leaving)), leaving);
  }
});

test('rejects links that this server did not create', () => {
  const token = createUnsubscribeToken(key, { target: 'Issue', id: 88, userId: 7 });
  const other = createSecretKey(Buffer.alloc(32, 2));
  assert.equal(parseUnsubscribeToken(other, token), null);
  const forged = [
    token.replace('i88', 'i89'),
    token.replace('i88', 'm88'),
    token.replace('-7-', '-8-'),
    token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A'),
    token.slice(0, -1),
    `${token}A`,
    `x${token.slice(1)}`,
    '',
    'i88-7-',
  ];
  for (const text of forged) assert.equal(parseUnsubscribeToken(key, text), null, text);
});
