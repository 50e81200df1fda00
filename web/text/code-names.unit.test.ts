import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFileLanguage, findLanguage } from './languages.ts';
import { formatLineRange, parseLineRange } from './line-range.ts';

test('fragments select lines', () => {
  const cases: [hash: string, range: [first: number, last: number] | null][] = [
    ['#L3', [3, 3]],
    ['#L3-7', [3, 7]],
    ['#L7-L3', [3, 7]],
    ['#L8-99', [8, 10]],
    ['#L0', null],
    ['#L11', null],
    ['#L', null],
    ['#L1-', null],
    ['#x', null],
    ['', null],
  ];
  for (const [hash, range] of cases) {
    const parsed = parseLineRange(hash, 10);
    assert.deepEqual(parsed === null ? null : [parsed.first, parsed.last], range, hash);
  }
  assert.deepEqual([formatLineRange(3, 3), formatLineRange(7, 3)], ['#L3', '#L3-7']);
});

test('finds languages of files and fences', () => {
  const files = {
    'src/a.test.ts': 'typescript',
    Dockerfile: 'dockerfile',
    'dev/Dockerfile.web': 'dockerfile',
    Makefile: 'makefile',
    'CMakeLists.txt': 'cmake',
    '.gitlab-ci.yml': 'yaml',
    'a.HTML': 'xml',
    LICENSE: null,
    'a.unknown': null,
    '': null,
    constructor: null,
  };
  for (const [path, language] of Object.entries(files)) assert.equal(findFileLanguage(path), language, path);
  assert.deepEqual(['TypeScript', 'c++', 'sh', '__proto__', ''].map(findLanguage), [
    'typescript',
    'cpp',
    'bash',
    null,
    null,
  ]);
});
