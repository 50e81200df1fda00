import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostOfUrl, listId, toHeaderLine } from './header-text.ts';

test('a text of users stays on one line, whatever it holds', () => {
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

test('a text that is too long is cut between characters', () => {
  assert.equal(toHeaderLine('a'.repeat(255)), 'a'.repeat(255));
  assert.equal(toHeaderLine('a'.repeat(1_000_000)), `${'a'.repeat(254)}…`);
  const faces = toHeaderLine('😀'.repeat(300));
  assert.equal(faces, `${'😀'.repeat(254)}…`);
});

test('a list is named by the number and the path of its project, never too long', () => {
  assert.equal(listId(34, 'Forge/sub_group/anvil', 'hearth.example'), '34.anvil.sub-group.forge.hearth.example');
  const long = listId(34, Array(20).fill('a'.repeat(30)).join('/'), 'hearth.example');
  assert.ok(long.length <= 255 && long.startsWith('34.aaa') && long.endsWith('.hearth.example'), long);
  assert.doesNotMatch(long, /\.\./);
});

test('the host of an address is its name without a port', () => {
  assert.equal(hostOfUrl('https://hearth.example:8443/prefix'), 'hearth.example');
  assert.equal(hostOfUrl('http://[::1]:8080'), '[::1]');
});
