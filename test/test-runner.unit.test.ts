import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { scratchDirectory } from './engines/scratch.ts';

// The output of `npm test` for test files that exit their process.

const directory = await scratchDirectory('hearth-runner-');
after(() => rm(directory, { recursive: true, force: true }));

const PASSES = "import { test } from 'node:test';\ntest('passes', () => {});\n";

/** Runs these files as `npm test` does, ordered by name; returns the output lines. */
async function linesOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  const paths = Object.keys(files).map((name) => join(directory, `${name}.unit.test.ts`));
  await Promise.all(Object.values(files).map((text, at) => writeFile(paths[at]!, text)));
  return linesOfRun(paths);
}

/** Returns the output lines of `npm test` with these arguments. */
function linesOfRun(args: readonly string[]): Promise<string[]> {
  const { NODE_TEST_CONTEXT, HEARTH_TEST_CLAIMS, ...env } = process.env;
  const script = join(import.meta.dirname, '../scripts/test.ts');
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { env }, (error, said) => {
      resolve([...said.trimEnd().split('\n'), `exit code ${error?.code ?? 0}`]);
    });
  });
}

test('reports test files that no process ran as failed', async () => {
  const lines = await linesOf({ a: 'process.exit(3);', b: 'process.exit(3);', c: PASSES });
  const notRun = lines.filter((line) => line.startsWith('NOT RUN (no database): '));
  assert.match(notRun.join('\n'), /^NOT RUN .*c\.unit\.test\.ts$/);
  assert.deepEqual(lines.slice(-2), ['0 passed, 3 failed', 'exit code 1']);
});

test('rejects unknown options, and options together with paths', async () => {
  for (const args of [['--every'], ['--all', '--changed'], ['--all', 'src/text']]) {
    assert.match((await linesOfRun(args)).join('\n'), /Usage: npm test/);
  }
});

test('another process runs the remaining test files of a process that dies', async () => {
  const lines = await linesOf({ a: 'process.exit(3);', b: PASSES, c: PASSES });
  assert.deepEqual(lines.slice(-2), ['2 passed, 1 failed', 'exit code 1']);
});
