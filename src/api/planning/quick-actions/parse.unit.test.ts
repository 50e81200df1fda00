import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from './parse.ts';

const KNOWN = new Map([
  ['close', 'close'],
  ['label', 'label'],
  ['labels', 'label'],
]);

const commands = (text: string) => parse(text, KNOWN).commands.map(({ name, argument }) => `${name}(${argument})`);
const rest = (text: string) => parse(text, KNOWN).rest;

test('a command begins a line, in any case, and goes to the end of the line', () => {
  const cases: Readonly<Record<string, string[]>> = {
    '/close': ['close()'],
    '/CLOSE\r\n/labels ~bug ~"a b"  \r\nText': ['close()', 'label(~bug ~"a b")'],
    'Text\n/close': ['close()'],
    'Text\n\n/close\nmore': ['close()'],
    '# Heading\n/close': ['close()'],
    '- list\n\n/close': ['close()'],
    '```\ncode\n```\n/close': ['close()'],
    '<div>\n</div>\n\n/close': ['close()'],
    '<https://hearth.test>\n/close': ['close()'],
    ' /close': [],
    'Text /close': [],
    '/closed': [],
    '/close-now': [],
    '/merge': [],
    '//close': [],
  };
  for (const [text, expected] of Object.entries(cases)) assert.deepEqual(commands(text), expected, text);
});

test('what is code, quoted, in a list or in HTML is text', () => {
  const texts = [
    '```\n/close\n```',
    '~~~ sh\n/close\n```\n/close\n~~~',
    '```\n/close',
    '`\n/close\n`',
    'a `code\n/close\nends` here',
    '    indented\n\n    /close',
    '> quote\n/close',
    '>>>\n/close\n\n/close\n>>>',
    '- item\n/close',
    '1. item\n\n   /close',
    '- item\n\n  /close',
    '<details>\n/close\n</details>',
    '<!-- hidden\n\n/close\n-->',
    '<pre>\n\n/close\n</pre>',
  ];
  for (const text of texts) {
    assert.deepEqual(commands(text), [], text);
    assert.equal(rest(text), text);
  }
});

test('commands are taken out with their lines, and what is left is trimmed at its end only', () => {
  const cases: Readonly<Record<string, string>> = {
    '/close': '',
    ' Text\n/close': ' Text',
    'One\n/close\nTwo\n\n/label ~a\n': 'One\nTwo',
    'Text  \n': 'Text  \n',
    '/merge\n/close': '/merge',
  };
  for (const [text, expected] of Object.entries(cases)) assert.equal(rest(text), expected, text);
});

test('a hundred are done, and all are taken out', () => {
  const text = '/close\n'.repeat(1_000);
  assert.deepEqual([parse(text, KNOWN).commands.length, rest(text)], [100, '']);
});

test('ten thousand lines are looked at', () => {
  const text = `${'x\n'.repeat(9_999)}/close\n/close`;
  assert.deepEqual([commands(text).length, rest(text).endsWith('x\n/close')], [1, true]);
});
