// Runs test files one after another in one process, for `npm test`. Loading Hearth is most of what a small file costs:
// its modules are loaded once for many files. What tests share (test/, *.testing.ts) is loaded anew for each file, so that
// a world belongs to one file, as if the file had a process of its own.
import { createHook } from 'node:async_hooks';
import { registerHooks } from 'node:module';
import { join, relative } from 'node:path';
import { after, beforeEach, suite, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { claim } from './test-claims.ts';

const root = join(import.meta.dirname, '..');
/** A directory that the processes of one run share; without it every file is run here. */
const claims = process.env.HEARTH_TEST_CLAIMS;
const filesTogether = Number(process.env.HEARTH_TEST_FILES_TOGETHER ?? Number.POSITIVE_INFINITY);
const testUrl = pathToFileURL(join(root, 'test/')).href;
/** Holds what is the same for all files. */
const sharedUrl = pathToFileURL(join(root, 'test/support/response-shapes.ts')).href;
let current = 0;
let running = '';

followNoPromises();
beforeEach((test) => {
  running = (test as TestContext).fullName;
});

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    return isOfTests(resolved.url) ? { ...resolved, url: `${resolved.url}?file=${current}` } : resolved;
  },
});

function isOfTests(url: string): boolean {
  return (url.startsWith(testUrl) && url !== sharedUrl) || url.endsWith('.testing.ts');
}

for (const file of process.argv.slice(2)) {
  if (current === filesTogether) break;
  if (claims !== undefined && !claim(claims, file)) continue;
  current++;
  await runFile(file);
}

/**
 * node:test follows every promise and every socket to the test that has made it, to know whose fault it is when something
 * is thrown where nobody waits for it. That is a sixth of all that the tests cost. Here such a fault ends the process
 * instead, which tells what it was and during which test it came.
 */
function followNoPromises(): void {
  const hooks = Object.getPrototypeOf(createHook({})) as { enable(): unknown };
  const { enable } = hooks;
  hooks.enable = function enableNothing() {
    return this;
  };
  // The first suite makes the runner begin.
  suite('nothing', { skip: true });
  hooks.enable = enable;
  const end = (error: unknown) => {
    console.error(`Thrown where nobody waits for it, during ${running}:`, error);
    process.exit(1);
  };
  process.prependListener('uncaughtException', end);
  process.prependListener('unhandledRejection', end);
}

/** Ends with the file's last test and hook: the next file begins on a quiet process. */
function runFile(file: string): Promise<void> {
  return new Promise((ended) => {
    suite(relative(root, file), async () => {
      try {
        await import(pathToFileURL(file).href);
        after(() => ended());
      } catch (error) {
        ended();
        throw error;
      }
    });
  });
}
