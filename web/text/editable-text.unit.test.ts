import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFile } from './base64.ts';
import { readEditableText, toFileContent } from './editable-text.ts';

const toBase64 = (content: string | Uint8Array): string => Buffer.from(content).toString('base64');

test('an unchanged text is written as it was read', () => {
  for (const content of ['', 'a', 'a\nb\n', 'a\r\nb\r\n', '\ufeffa\n', 'é😀\n']) {
    const { text, lineEnding } = readEditableText(toBase64(content))!;
    assert.doesNotMatch(text, /\r/);
    assert.equal(toFileContent(text, lineEnding), content);
  }
});

test('new lines end as the lines of the file', () => {
  assert.equal(toFileContent('a\nb\nc', 'CRLF'), 'a\r\nb\r\nc');
  // Text areas of some browsers have carriage returns.
  assert.equal(toFileContent('a\r\nb', 'LF'), 'a\nb');
});

test('different line endings are found', () => {
  for (const content of ['a\r\nb\n', 'a\rb', 'a\r\r\nb'])
    assert.equal(readEditableText(toBase64(content))?.lineEnding, 'mixed');
});

test('content that is not UTF-8 or contains zero bytes cannot be edited', () => {
  for (const bytes of [
    [0xff, 0xfe],
    [97, 0, 98],
  ])
    assert.equal(readEditableText(toBase64(Uint8Array.from(bytes))), null);
});

test('files are encoded in base64', async () => {
  for (const length of [0, 1, 24_575, 24_576, 24_577, 100_000]) {
    const bytes = Uint8Array.from({ length }, (_value, index) => index % 256);
    assert.equal(await encodeFile(new Blob([bytes])), toBase64(bytes));
  }
});
