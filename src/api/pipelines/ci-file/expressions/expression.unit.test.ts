import assert from 'node:assert/strict';
import test from 'node:test';
import { EffortBudget } from '../yaml/effort-budget.ts';
import { PatternCache, parseCondition } from './expression.ts';

const VALUES = new Map([
  ['A', 'a'],
  ['B', 'b'],
  ['EMPTY', ''],
  ['REF', 'feature/One'],
  ['PATTERN', '/^feature/'],
  ['PLAIN', 'feature'],
]);

for (const [source, holds] of [
  ['$A', true],
  [`\${A}`, true],
  ['$EMPTY', false],
  ['$NONE', false],
  ['"text"', true],
  ["''", false],
  ['null', false],
  ['$A == "a"', true],
  ["$A=='a'", true],
  ['"a" == $A', true],
  ['$A != "a"', false],
  ['$A == $B', false],
  ['$NONE == null', true],
  ['$EMPTY == null', false],
  ['$EMPTY == ""', true],
  ['$NONE == ""', false],
  ['$NONE != null', false],
  ['$NONE == $NEITHER', true],
  ['$REF =~ /^feature/', true],
  ['$REF =~ /one$/', false],
  ['$REF =~ /ONE$/i', true],
  ['$REF =~ /feature\\/One/', true],
  ['$REF !~ /^feature/', false],
  ['$REF !~ /^hotfix/', true],
  ['$NONE =~ /./', false],
  ['$NONE !~ /./', true],
  ['$REF =~ $PATTERN', true],
  ['$REF !~ $PATTERN', false],
  ['$REF =~ $PLAIN', false],
  ['$REF !~ $PLAIN', true],
  ['$REF =~ $NONE', false],
  ['$REF !~ $NONE', true],
  ['$A && $B', true],
  ['$A && $NONE', false],
  ['$NONE || $B', true],
  ['$A || $NONE && $NONE', true],
  ['($A || $NONE) && $NONE', false],
  ['$NONE && $NONE || $A', true],
  ['$A == "a" && $B == "x" || $REF =~ /One/', true],
  ['$A == "a" && ($B == "x" || $REF =~ /Two/)', false],
  ['  (  ( $A )  )  ', true],
] as const) {
  test(`${source} is ${holds}`, () =>
    assert.equal(parseCondition(source, new PatternCache(new EffortBudget()))?.isTrue(VALUES), holds));
}

for (const source of [
  ...[
    '',
    ' ',
    'A',
    '$',
    '$A ==',
    '== $A',
    '$A = "a"',
    '$A == a',
    '$A $B',
    '($A',
    '$A)',
    '()',
    '"open',
    '$A &&',
    '|| $A',
  ],
  ...['$A =~ /(/', '$A =~ /a', '$A =~ //', '$A =~ /a/x', 'nullable', '!$A', '$A & $B', '$A =~ /(?<!b)a/', '1 == 1'],
  ...[`$A =~ /(a{999}){999}/`, `${'('.repeat(100)}$A${')'.repeat(100)}`, `"${'a'.repeat(20_000)}"`],
]) {
  test(`rejects ${JSON.stringify(source.slice(0, 30))} as an expression`, () => {
    assert.equal(parseCondition(source, new PatternCache(new EffortBudget())), null);
  });
}
