import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildListId, getUrlHost, toHeaderLine } from './mailer.ts';

test('keeps user text with any characters on one line', () => {
  const rows: [text: string, line: string][] = [
    ['Retry loop', 'Retry loop'],
    ['a\r\nBcc: eve@evil.test', 'a Bcc: eve@evil.test'],
    ['a\n\n\r\rb\tc', 'a b c'],
    ['a\u2028b\u2029c\u0085d\u0000e\u007f', 'a b c d e'],
    ['\u202egnp.exe', 'gnp.exe'],
    ['\ud800 half', '\ufffd half'],
    ['  ', ''],
  ];
  for (const [text, line] of rows) assert.equal(toHeaderLine(text), line, JSON.stringify(text));
});

test('truncates a long text between characters', () => {
  assert.equal(toHeaderLine('a'.repeat(255)), 'a'.repeat(255));
  assert.equal(toHeaderLine('a'.repeat(1_000_000)), `${'a'.repeat(254)}…`);
  const faces = toHeaderLine('😀'.repeat(300));
  assert.equal(faces, `${'😀'.repeat(254)}…`);
});

test('the List-Id contains the id and path of the project and is never too long', () => {
  assert.equal(buildListId(34, 'Forge/sub_group/anvil', 'hearth.example'), '34.anvil.sub-group.forge.hearth.example');
  const long = buildListId(34, Array(20).fill('a'.repeat(30)).join('/'), 'hearth.example');
  assert.ok(long.length <= 255 && long.startsWith('34.aaa') && long.endsWith('.hearth.example'), long);
  assert.doesNotMatch(long, /\.\./);
});

test('removes the port from the host of an address', () => {
  assert.equal(getUrlHost('https://hearth.example:8443/prefix'), 'hearth.example');
  assert.equal(getUrlHost('http://[::1]:8080'), '[::1]');
});
