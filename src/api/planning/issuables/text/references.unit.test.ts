import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseReferences, REFERENCE_PREFIXES } from './mentions.ts';

const named = (text: string) =>
  parseReferences(text).map(({ type, path, iid }) => `${path}${REFERENCE_PREFIXES[type]}${iid}`);

test('finds references among words', () => {
  const texts: [text: string, found: string[]][] = [
    ['#1', ['#1']],
    ['(#1), #2. a/b#3: c#4', ['#1', '#2', 'a/b#3', 'c#4']],
    ['a.b-c_d/e/f#12', ['a.b-c_d/e/f#12']],
    ['#1 and #1 and A/b#1 and a/B#1', ['#1', 'a/B#1']],
    ['# 1 #a ##2', ['#2']],
    ['#1a #0 #12345678901', []],
    ['&#39; /#1 a/#2 /a#3', []],
    ['https://h/a/b/-/issues/2#note_3', []],
    ['!1 a/b!2 &3 g/s&4 #1', ['!1', 'a/b!2', '&3', 'g/s&4', '#1']],
    ['a != b && c &#33; !a ![1]', []],
  ];
  for (const [text, found] of texts) assert.deepEqual(named(text), found, text);
});

test('ignores references in code', () => {
  assert.deepEqual(named('`#1` #2 ``a ` #3`` #4'), ['#2', '#4']);
  assert.deepEqual(named('```\n#1\n```\n#2\n```\n#3'), ['#2']);
  assert.deepEqual(named('one ` alone #1'), ['#1']);
});

test('finds at most a hundred references in linear time', () => {
  assert.equal(named(Array.from({ length: 300 }, (_, n) => `#${n + 1}`).join(' ')).length, 100);
  const begin = process.cpuUsage();
  for (const part of ['a/', '#', '`#1', '`', '#1`', 'a#', '!1&', '&!1#`'])
    parseReferences(part.repeat(2 ** 20 / part.length));
  const { user } = process.cpuUsage(begin);
  assert.ok(user < 5_000_000, `${user} µs`);
});
