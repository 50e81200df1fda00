import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse, type Token } from 'acorn';
import { ambiguity } from './support/regex-ambiguity.ts';

// Regular expressions of the server must not match ambiguously, because each of them may run on text of clients.

const root = join(import.meta.dirname, '..');
const sources = globSync(['src/**/*.ts', 'web/text/dialect.ts'], { cwd: root }).filter(
  (file) => !/\.(test|testing)\.ts$/.test(file),
);

/** The only file that compiles expressions at run time: from the paths of the server's endpoints. */
const MAKERS = ['src/http/server/routing/router.ts'];

interface Written {
  readonly source: string;
  readonly flags: string;
  readonly place: string;
}

const written: Written[] = [];
const makers = new Set<string>();
for (const file of sources) {
  parse(stripTypeScriptTypes(readFileSync(join(root, file), 'utf8')), {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
    onToken(token) {
      const { type, value, loc } = token as Token & { readonly value?: unknown };
      if (type.label === 'name' && value === 'RegExp') makers.add(file);
      if (type.label !== 'regexp') return;
      const { pattern: source, flags } = value as { pattern: string; flags: string };
      written.push({ source, flags, place: `${file}:${loc?.start.line}` });
    },
  });
}

test('no regular expression matches ambiguously', () => {
  assert.ok(written.length > 100);
  const wrong = written.flatMap(({ source, flags, place }) => {
    const reason = ambiguity(source, flags);
    return reason === null ? [] : [`${place} /${source}/${flags}: ${reason}`];
  });
  assert.deepEqual(wrong, []);
});

test('regular expressions are literals, not built from strings', () => {
  assert.deepEqual([...makers], MAKERS);
});

const QUADRATIC = [
  ['-+$', ''],
  ['^[-.]+|[-.]+$', 'g'],
  ['^\\s*(.*)\\s*$', ''],
  ['\\n\\s*\\n', ''],
  ['^x*y?x*$', ''],
  ['^Bearer +(.+)$', 'i'],
  ["lock '([^']*)':.*(?:File|Unable)", 's'],
  ['^(?=a+a+$)b', ''],
] as const;
const EXPONENTIAL = [
  ['^(a+)+$', ''],
  ['^(a*)*$', ''],
  ['^(a|a)*$', ''],
  ['^(\\w+\\s?)*$', ''],
  ['^(\\d+\\s*[a-z]+\\.?(\\s*(,|and)?\\s*))+$', 'i'],
] as const;
const LINEAR = [
  ['^-+$', ''],
  ['-+', 'g'],
  ['^-+', ''],
  ['^(\\/[^/]+)+$', ''],
  ['^(a|ab)*c$', ''],
  ['^(?:[~^]\\d{0,9}|\\^\\{\\})*$', ''],
  ['^[a-z]([a-z.-]*[a-z])?$', ''],
  ['\\d+(?:\\.\\d+)?\\s*[a-z]+', 'y'],
] as const;

test('detects ambiguous regular expressions and no others', () => {
  for (const [source, flags] of [...QUADRATIC, ...EXPONENTIAL]) assert.ok(ambiguity(source, flags) !== null, source);
  for (const [source, flags] of LINEAR) assert.equal(ambiguity(source, flags), null, source);
});
