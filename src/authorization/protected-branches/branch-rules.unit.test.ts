import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getProtectionForLevel } from '#domain/namespaces/default-branch-protection.ts';
import { buildDefaultRule, matchesRule } from './branch-rules.ts';

// Which branches a protection rule is about (contract/repository.md §3 "Matching").

const matches = (name: string, branch: string) => matchesRule({ name }, branch);

test('a rule without a wildcard matches exactly the branch with its name', () => {
  assert.ok(matches('main', 'main'));
  for (const branch of ['Main', 'main2', 'amain', 'main/x']) assert.equal(matches('main', branch), false, branch);
  assert.equal(matches('rel.1', 'relx1'), false);
});

test('a wildcard matches any characters, including slashes and none', () => {
  const cases: [string, string, boolean][] = [
    ['*', 'any/thing', true],
    ['*-stable', '1/2-stable', true],
    ['*-stable', '-stable', true],
    ['*-stable', '1-stable-2', false],
    ['rel/*', 'rel/a/b', true],
    ['rel/*', 'rel/', true],
    ['rel/*', 'rel', false],
    ['rel/*', 'xrel/a', false],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'axxbxxc', true],
    ['a*b*c', 'acb', false],
    ['ab*ba', 'aba', false],
    ['ab*ba', 'abba', true],
    ['a**b', 'ab', true],
    ['(a|b)*[c]', '(a|b)x[c]', true],
    ['(a|b)*', 'ax', false],
    ['REL*', 'rel1', false],
  ];
  for (const [name, branch, expected] of cases) assert.equal(matches(name, branch), expected, `${name} ${branch}`);
});

test('matching many wildcards takes linear time', () => {
  // A backtracking matcher would not come back from this one.
  assert.equal(matches(`${'*a'.repeat(100)}*b`, 'a'.repeat(1000)), false);
  assert.ok(matches(`${'*a'.repeat(100)}*`, 'a'.repeat(1000)));
});

test('the default branch protection setting applies to the first branch', () => {
  const roles = (protection: 0 | 1 | 2 | 3 | 4) =>
    buildDefaultRule('main', getProtectionForLevel(protection))?.levels.map(
      ({ kind, access_level }) => `${kind} ${access_level}`,
    ) ?? null;
  assert.equal(roles(0), null);
  assert.deepEqual(roles(1), ['push 30', 'merge 40']);
  assert.deepEqual(roles(2), ['push 40', 'merge 40']);
  assert.deepEqual(roles(3), ['push 40', 'merge 30']);
  assert.deepEqual(roles(4), ['push 40', 'merge 40']);
});
