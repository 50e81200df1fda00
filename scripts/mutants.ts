// `npm run mutants` runs the named tests of each mutant in `mutants-table.ts` with its fault, on SQLite, and lists the mutants that
// no test notices. `npm run mutants -- src/git src/http` tries only those of these folders.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MUTANTS, type Mutant } from './mutants-table.ts';

const root = join(import.meta.dirname, '..');
/** A fault can make a test wait for ever: then the test has noticed it. */
const TIMEOUT_MS = 600_000;

/** Returns the source files of the mutant's folder with the text, each as often as it occurs there. */
export function findMutantFiles({ folder, text }: Pick<Mutant, 'folder' | 'text'>): string[] {
  return globSync(`${folder}/**/*.ts`, { cwd: root })
    .filter((file) => !/\.(test|testing)\.ts$/.test(file))
    .sort()
    .flatMap((file) =>
      Array.from(readFileSync(join(root, file), 'utf8').split(text))
        .slice(1)
        .map(() => file),
    );
}

/** Returns whether these tests pass, with the fault in the file if one is named. */
async function passes(tests: readonly string[], fault?: { mutant: Mutant; file: string }): Promise<boolean> {
  const { text = '', fault: replacement = '' } = fault?.mutant ?? {};
  const child = spawn(
    process.execPath,
    [
      ...(fault ? ['--import', join(import.meta.dirname, 'mutant-loader.ts')] : []),
      join(import.meta.dirname, 'test-files.ts'),
      ...tests.map((test) => join(root, test)),
    ],
    {
      cwd: root,
      stdio: 'ignore',
      timeout: TIMEOUT_MS,
      env: {
        ...process.env,
        NODE_ENV: 'test',
        ...(fault && { HEARTH_MUTANT: JSON.stringify({ file: join(root, fault.file), text, replacement }) }),
      },
    },
  );
  const [code] = await once(child, 'close');
  return code === 0;
}

async function tryMutant(mutant: Mutant): Promise<'noticed' | 'survived' | 'invalid'> {
  const [file, ...others] = findMutantFiles(mutant);
  if (file === undefined || others.length > 0) return 'invalid';
  return (await passes(mutant.tests, { mutant, file })) ? 'survived' : 'noticed';
}

async function main(folders: readonly string[]): Promise<void> {
  const mutants = MUTANTS.filter(({ folder }) => folders.length === 0 || folders.includes(folder));
  const tests = [...new Set(mutants.flatMap((mutant) => mutant.tests))];
  // Otherwise every mutant would count as noticed.
  if (!(await passes(tests))) throw new Error(`Without a fault, these tests must pass: ${tests.join(' ')}`);
  const counts = { noticed: 0, survived: 0, invalid: 0 };
  for (const mutant of mutants) {
    const result = await tryMutant(mutant);
    counts[result]++;
    console.log(`${result}: ${mutant.folder}: ${mutant.text.trim()}`);
  }
  console.log(`${counts.noticed} noticed, ${counts.survived} survived, ${counts.invalid} invalid`);
  process.exitCode = counts.survived + counts.invalid > 0 ? 1 : 0;
}

if (import.meta.main) await main(process.argv.slice(2));
