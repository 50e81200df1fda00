import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateRedirectUri } from './create.ts';

test('accepts absolute addresses of web sites and installed programs', () => {
  const good = [
    'https://app.test/cb',
    'http://localhost:7171/auth/redirect',
    'http://[::1]:8080/cb?kept=1',
    'com.example.app:/oauth',
    "https://app.test/cb;x,y'z",
    'com.example.app://oauth/cb',
  ];
  for (const uri of good) assert.equal(validateRedirectUri(uri), null, uri);
});

test('rejects invalid and relative addresses', () => {
  const wrong = [
    'http://',
    'https:/app.test',
    'http:///cb',
    '/cb',
    'app.test/cb',
    'cb',
    'http://a b',
    'https://ä.test/',
    'urn:x:y',
    'https://app.test;x/cb',
    'https://app,test/cb',
    "https://app'test/cb",
  ];
  for (const uri of wrong) assert.equal(validateRedirectUri(uri), 'must be a valid URI.', uri);
});

test('rejects script and data schemes in any case', () => {
  for (const uri of ['javascript:alert(1)', 'JavaScript:/x', 'data:text/html,x', 'vbscript:x']) {
    assert.equal(validateRedirectUri(uri), 'is forbidden by the server.', uri);
  }
});

test('rejects schemes of files, content and programs of the device', () => {
  const forbidden = ['file:///etc/passwd', 'File:/x', 'intent://cb#Intent;end', 'intent:/cb', 'content://x/y'];
  for (const uri of [
    ...forbidden,
    'blob:https://app.test/x',
    'filesystem:https://app.test/x',
    'view-source:/x',
    'about:/x',
  ])
    assert.equal(validateRedirectUri(uri), 'is forbidden by the server.', uri);
});

test('rejects addresses with user info', () => {
  for (const uri of [
    'https://app.test@evil.test/cb',
    'https://user:password@app.test/cb',
    'https://@app.test/cb',
    'https://:@app.test/cb',
    'com.example.app://user@oauth/cb',
  ]) {
    assert.equal(validateRedirectUri(uri), 'must be a valid URI.', uri);
  }
  assert.equal(validateRedirectUri('https://app.test/@user?to=a@b.test'), null);
});

test('rejects addresses with a fragment', () => {
  assert.equal(validateRedirectUri('https://app.test/cb#x'), 'cannot contain a fragment.');
});
