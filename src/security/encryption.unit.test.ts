import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import { DecryptionError, decrypt, type EncryptionContext, encrypt as encryptIn } from './encryption.ts';

const key = createSecretKey(Buffer.alloc(32, 7));
const encrypt = (withKey: typeof key, secret: string, context: string) =>
  encryptIn(withKey, secret, context as EncryptionContext);

test('decrypts a text in the context of its encryption', () => {
  for (const secret of ['', 'token', 'schl\u00fcssel \u{1f511}', 'x'.repeat(10_000)]) {
    const text = encrypt(key, secret, 'sites.secret:1');
    assert.match(text, /^v1\.[\w-]+$/);
    assert.equal(decrypt(key, text, 'sites.secret:1'), secret);
  }
});

test('the same secret is never encrypted to the same text', () => {
  assert.notEqual(encrypt(key, 'token', 'a'), encrypt(key, 'token', 'a'));
});

test('rejects another context, another key and changed text without revealing content', () => {
  const text = encrypt(key, 'token', 'a:1');
  const changed = text.slice(0, -4) + (text.endsWith('AAAA') ? 'BBBB' : 'AAAA');
  const attempts: [typeof key, string, string][] = [
    [key, text, 'a:2'],
    [createSecretKey(Buffer.alloc(32, 8)), text, 'a:1'],
    [key, changed, 'a:1'],
    [key, text.replace('v1.', 'v2.'), 'a:1'],
    [key, 'v1.AAAA', 'a:1'],
    [key, 'token', 'a:1'],
    [key, '', 'a:1'],
  ];
  for (const [withKey, value, place] of attempts) {
    assert.throws(
      () => decrypt(withKey, value, place),
      (error: unknown) => error instanceof DecryptionError && !error.message.includes('token'),
    );
  }
});

test('a secret is encrypted only for a declared column or file', () => {
  // @ts-expect-error: contexts come from encrypted-columns.ts, so that a rotation of the key finds every secret.
  assert.match(encryptIn(key, 'token', 'sites.secret:1'), /^v1\./);
});
