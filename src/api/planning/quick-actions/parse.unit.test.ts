import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommands } from './parse.ts';

const KNOWN = new Map([
  ['close', 'close'],
  ['label', 'label'],
  ['labels', 'label'],
]);

const commands = (text: string) =>
  parseCommands(text, KNOWN).commands.map(({ name, argument }) => `${name}(${argument})`);
const rest = (text: string) => parseCommands(text, KNOWN).remainingText;

test('parses a command at the start of a line, ignoring case, up to the line end', () => {
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

test('ignores commands in code, quotes, lists and HTML', () => {
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

test('removes command lines and trims the rest at the end only', () => {
  const cases: Readonly<Record<string, string>> = {
    '/close': '',
    ' Text\n/close': ' Text',
    'One\n/close\nTwo\n\n/label ~a\n': 'One\nTwo',
    'Text  \n': 'Text  \n',
    '/merge\n/close': '/merge',
  };
  for (const [text, expected] of Object.entries(cases)) assert.equal(rest(text), expected, text);
});

test('executes a hundred commands and removes all', () => {
  const text = '/close\n'.repeat(1_000);
  assert.deepEqual([parseCommands(text, KNOWN).commands.length, rest(text)], [100, '']);
});

test('scans ten thousand lines', () => {
  const text = `${'x\n'.repeat(9_999)}/close\n/close`;
  assert.deepEqual([commands(text).length, rest(text).endsWith('x\n/close')], [1, true]);
});
