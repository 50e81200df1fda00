// `npm test`: type check, lint, and every test file on both engines. `npm test -- src/git` runs only the files named or
// below the directories named. The last line is `N passed, N failed`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { inspect } from 'node:util';
import { scratchDirectory } from '../test/engines/scratch.ts';
import { isPaired } from './paired-tests.ts';
import { unclaimed } from './test-claims.ts';

const root = join(import.meta.dirname, '..');
/** Caches compiled code between processes and runs: loading TypeScript is most of the cost of a process. */
const compileCache = join(root, 'node_modules/.cache/hearth-compile');
/** Number of processes: one more than the two cores, because each waits a fifth of its time for PostgreSQL, git or the disk. */
const atOnce = 3;
/** Maximum files per process: it loads Hearth once, but test modules are loaded for each file and stay in memory. */
const filesTogether = 170;
const longestProcess = 1_200_000;
/**
 * All cores are busy, so that parallel garbage collection only takes time from other processes. A larger young generation is
 * collected less often. Together they save a twelfth of the time.
 */
const memory = ['--single-threaded-gc', '--min-semi-space-size=16', '--max-semi-space-size=32'];

/** A task that runs in parallel with others: a check, or test files in one process. */
type Work = () => Promise<void>;

/** One line of the final summary: types, lint, or an engine. */
class Tally {
  readonly name: string;
  passed = 0;
  failed = 0;
  seconds = 0;

  constructor(name: string) {
    this.name = name;
    tallies.push(this);
  }
}

const tallies: Tally[] = [];

async function main(named: string[]): Promise<void> {
  const files = named.length > 0 ? named.flatMap(filesAt) : [...filesAt('test'), ...filesAt('src')];
  if (named.length > 0 && files.length === 0) throw new Error(`No test file at ${named.join(', ')}`);
  const onBothEngines = files.filter((file) => !isUnit(file));
  const work: Work[] = [];
  // Tests without a database mostly wait for hostile clients and processes: one process runs them in parallel with the others,
  // or two processes if there are no others.
  const beside = onBothEngines.length > 0 ? 1 : 2;
  if (named.length === 0) {
    // By default the compiler uses four workers that each check all types: half more work and twice the memory.
    work.push(() => check('types', 'node_modules/typescript/bin/tsc', '--noEmit', '--singleThreaded'));
    work.push(() => check('lint', 'node_modules/@biomejs/biome/bin/biome', 'check', '--reporter=summary'));
  }
  const engines = onBothEngines.length > 0 ? await prepareEngines() : [];
  try {
    const units = files.filter(isUnit);
    const waiting = runsOf('no database', units, await prepareUnits(units, engines.length > 0), beside);
    for (const { name, environment, takes } of engines) {
      work.push(...runsOf(name, onBothEngines.filter(takes), environment));
    }
    await Promise.all([
      ...Array.from({ length: beside }, () => workOff(waiting)),
      ...Array.from({ length: atOnce }, () => workOff(work)),
    ]);
  } finally {
    for (const { stop } of engines) await stop();
  }
}

async function workOff(work: Work[]): Promise<void> {
  for (let next = work.shift(); next !== undefined; next = work.shift()) await next();
}

function filesAt(path: string): string[] {
  const absolute = resolve(root, path);
  if (statSync(absolute).isFile()) return [absolute];
  return globSync('**/*.test.ts', { cwd: absolute })
    .sort()
    .map((file) => join(absolute, file));
}

/** Files that use no database run once. */
function isUnit(file: string): boolean {
  return file.endsWith('.unit.test.ts');
}

/** Returns whether the tests of a file each attack their own server. */
function isAttack(file: string): boolean {
  return file.startsWith(join(root, 'test/hostile/'));
}

async function check(name: string, program: string, ...args: string[]): Promise<void> {
  const tally = new Tally(name);
  const began = performance.now();
  const child = spawn(process.execPath, [join(root, program), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, 'close');
  if (code !== 0) console.log(output.trimEnd());
  if (code === 0) tally.passed++;
  else tally.failed++;
  tally.seconds += (performance.now() - began) / 1000;
}

interface Engine {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly takes: (file: string) => boolean;
  stop(): Promise<void>;
}

/** Prepares both engines with the template databases that are copied for each test file. */
async function prepareEngines(): Promise<Engine[]> {
  // Imported only now: broken types elsewhere must not hide the result of the type check.
  const { makePostgresTemplates, makeSqliteTemplates } = await import('../test/engines/engine.ts');
  const { startPostgres } = await import('../test/engines/postgres-server.ts');
  const [server] = await Promise.all([startPostgres(), makeSqliteTemplates(scratch)]);
  await makePostgresTemplates(server.url);
  const sqlite = { HEARTH_TEST_ENGINE: 'sqlite', HEARTH_TEST_SQLITE_TEMPLATES: scratch, HEARTH_TEST_HALF: '0' };
  const postgres = { HEARTH_TEST_ENGINE: 'postgres', HEARTH_TEST_POSTGRES_URL: server.url };
  return [
    { name: 'sqlite', environment: sqlite, takes: () => true, stop: async () => undefined },
    { name: 'postgres', environment: { ...postgres, HEARTH_TEST_HALF: '1' }, takes: () => true, stop: server.stop },
    {
      name: 'postgres, two servers',
      environment: { ...postgres, HEARTH_TEST_ENGINE: 'postgres-pair' },
      takes: isPaired,
      stop: async () => undefined,
    },
  ];
}

/** Prepares the environment of files without an engine; a test among them that needs a database gets a SQLite copy. */
async function prepareUnits(files: readonly string[], hasTemplates: boolean): Promise<Record<string, string>> {
  const templates = { HEARTH_TEST_SQLITE_TEMPLATES: scratch };
  if (!files.some(isAttack)) return hasTemplates ? templates : {};
  const { makeSqliteTemplates } = await import('../test/engines/engine.ts');
  const { bundleTarget } = await import('../test/hostile/bundled-target.ts');
  const [target] = await Promise.all([
    bundleTarget(join(scratch, 'target')),
    hasTemplates ? undefined : makeSqliteTemplates(scratch),
  ]);
  return { ...templates, HEARTH_TEST_TARGET: target };
}

/** Splits the files into tasks of several processes. Each claims one file after another, so that all end together. */
function runsOf(
  name: string,
  files: readonly string[],
  environment: Readonly<Record<string, string>>,
  beside = atOnce,
): Work[] {
  if (files.length === 0) return [];
  const tally = new Tally(name);
  const claims = mkdtempSync(join(scratch, 'claims-'));
  const processes = Math.max(beside, Math.ceil(files.length / filesTogether) + 1);
  const claiming = { HEARTH_TEST_CLAIMS: claims, HEARTH_TEST_FILES_TOGETHER: String(filesTogether) };
  let toEnd = processes;
  const runSome = async () => {
    await runTogether(tally, files, { ...environment, ...claiming });
    toEnd--;
    if (toEnd === 0) failNotRun(tally, unclaimed(claims, files));
  };
  return Array.from({ length: processes }, () => runSome);
}

/** Reports files that were not run because too many processes died. */
function failNotRun(tally: Tally, files: readonly string[]): void {
  tally.failed += files.length;
  if (files.length > 0) console.log(`\nNOT RUN (${tally.name}): ${files.join(', ')}`);
}

/** Runs the unclaimed files in one process with these environment variables. */
async function runTogether(
  tally: Tally,
  files: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const began = performance.now();
  let said = '';
  let failed = 0;
  const events = run({
    files: [join(import.meta.dirname, 'test-files.ts')],
    argv: [...files],
    execArgv: memory,
    cwd: root,
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache, NODE_ENV: 'test', ...environment },
    timeout: longestProcess,
  });
  for await (const event of events) {
    if (event.type === 'test:stdout' || event.type === 'test:stderr') said += event.data.message;
    else if (event.type === 'test:pass') {
      const { details, skip, todo } = event.data;
      if (details.type !== 'suite' && skip === undefined && todo === undefined) tally.passed++;
    } else if (event.type === 'test:fail') {
      const { details, file = event.data.name, line, name } = event.data;
      const error = details.error as Error & { failureType?: string };
      if (error.failureType === 'subtestsFailed' || event.data.todo !== undefined) continue;
      failed++;
      console.log(`\nFAILED (${tally.name}) ${relative(root, file)}:${line ?? 1}  ${name}\n${describe(error)}`);
    }
  }
  if (failed > 0 && said !== '') {
    console.log(`\nOutput of the files beside it (${tally.name}):\n${said}`);
  }
  tally.failed += failed;
  tally.seconds += (performance.now() - began) / 1000;
}

/** Formats an error of the test runner, which wraps the thrown value. Assertion errors contain their diff in the message. */
function describe(error: Error): string {
  const thrown = error.cause ?? error;
  // Any value can be thrown, and not all values convert to text.
  if (!(thrown instanceof Error)) return inspect(thrown);
  const lines = (thrown.stack ?? thrown.message).split('\n');
  return lines.filter((line) => !line.includes('(node:internal/') && !line.includes('(node:async_hooks')).join('\n');
}

/** The directory for all files of tests. Readable by others, because PostgreSQL may run as another user. */
const scratch = await scratchDirectory('hearth-run-');
chmodSync(scratch, 0o755);
Object.assign(process.env, { HEARTH_TEST_SCRATCH: scratch, TMPDIR: scratch });
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));

let unexpected = 0;
try {
  await main(process.argv.slice(2));
} catch (error) {
  unexpected++;
  console.log(error);
}
for (const { name, passed, failed, seconds } of tallies) {
  console.log(`${name}: ${passed} passed, ${failed} failed (${seconds.toFixed(1)} s)`);
}
const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
const failed = tallies.reduce((sum, tally) => sum + tally.failed, unexpected);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
