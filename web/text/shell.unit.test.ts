import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { listConflictCommands, quoteForShell } from './shell.ts';

test('a quoted text is one word for the shell, as it is', () => {
  for (const text of ['fix/1', "it's", '$(touch x); `id` & "y"', ''])
    assert.equal(execFileSync('sh', ['-c', `printf %s ${quoteForShell(text)}`], { encoding: 'utf8' }), text);
});

test('names of branches are quoted in the commands that resolve conflicts', () => {
  const lines = listConflictCommands("fix/$it's", 'main').split('\n');
  assert.ok(lines.includes(`git switch 'fix/$it'\\''s'`));
  assert.ok(lines.includes("git merge 'origin/main'"));
});
