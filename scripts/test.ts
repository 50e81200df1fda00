// `npm test`: type check, lint, every test file on SQLite except the longest suites, and on PostgreSQL the files that need it
// (test-selection.ts). `npm test -- --all` runs every file on both engines, `npm test -- --changed` the files that changes reach
// (changed-tests.ts), `npm test -- src/git` all files of a directory on both engines. The last line is `N passed, N failed`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { inspect } from 'node:util';
import { scratchDirectory } from '../test/engines/scratch.ts';
import { findReachedTests, listChangedFiles } from './changed-tests.ts';
import { isPaired } from './paired-tests.ts';
import { listUnclaimedFiles } from './test-claims.ts';
import {
  callsEveryEndpoint,
  getPostgresReason,
  isOnlyInFullRun,
  isUnit,
  type PostgresReason,
} from './test-selection.ts';
import { buildWeb } from './web.ts';

const root = join(import.meta.dirname, '..');
/** Caches compiled code between processes and runs: loading TypeScript is most of the cost of a process. */
const compileCache = join(root, 'node_modules/.cache/hearth-compile');
/** Number of processes: one more than the two cores, because each waits a fifth of its time for PostgreSQL, git or the disk. */
const concurrency = 3;
/** Maximum files per process: it loads Hearth once, but test modules are loaded for each file and stay in memory. */
const maxFilesPerProcess = 170;
/** Checks only the files that a change since the last run reaches. */
const TYPE_CHECK = [
  '--noEmit',
  '--singleThreaded',
  '--incremental',
  '--tsBuildInfoFile',
  join(root, 'node_modules/.cache/hearth-types.tsbuildinfo'),
];
/** The sources of web/ have the types of browsers, and JSX. */
const WEB_TYPE_CHECK = ['--noEmit', '--singleThreaded', '-p', 'web'];
const processTimeoutMs = 1_200_000;
/**
 * All cores are busy, so that parallel garbage collection only takes time from other processes. A larger young generation is
 * collected less often. Together they save a twelfth of the time.
 */
const gcOptions = ['--single-threaded-gc', '--min-semi-space-size=16', '--max-semi-space-size=32'];

/**
 * A statement runs a few times per test, each time planned anew until the sixth time: a third of PostgreSQL's time. Tests of plans
 * are not affected, because EXPLAIN never uses a stored plan.
 */
const PLAN_ONCE = 'plan_cache_mode=force_generic_plan';

/** A task that runs in parallel with others: a check, or test files in one process. */
type Task = () => Promise<void>;

/** Result of types, lint or an engine: one line of the final output. */
class Summary {
  readonly name: string;
  passed = 0;
  failed = 0;
  seconds = 0;

  constructor(name: string) {
    this.name = name;
    summaries.push(this);
  }
}

const summaries: Summary[] = [];

async function main(args: readonly string[]): Promise<void> {
  const { files, hasChecks, isQuick } = selectFiles(args);
  // Servers in tests run from the sources, and send these files.
  await buildWeb();
  const databaseFiles = files.filter((file) => !isUnit(file));
  const tasks: Task[] = [];
  // Tests without a database mostly wait for hostile clients and processes: one process runs them in parallel with the others,
  // or two processes if there are no others.
  const unitProcesses = databaseFiles.length > 0 ? 1 : 2;
  if (hasChecks) {
    // By default the compiler uses four workers that each check all types: half more work and twice the memory.
    tasks.push(() => check('types', 'node_modules/typescript/bin/tsc', ...TYPE_CHECK));
    tasks.push(() => check('web types', 'node_modules/typescript/bin/tsc', ...WEB_TYPE_CHECK));
    tasks.push(() => check('lint', 'node_modules/@biomejs/biome/bin/biome', 'check', '--reporter=summary'));
  }
  const filesByEngine = isQuick ? divideQuickRun(databaseFiles) : divideFullRun(databaseFiles);
  const engines = await prepareEngines(filesByEngine);
  try {
    const units = files.filter(isUnit);
    const unitTasks = createTasks('no database', units, {
      environment: await prepareUnits(units, engines.length > 0),
      minProcesses: unitProcesses,
    });
    for (const engine of engines) tasks.push(...createTasks(engine.name, filesByEngine[engine.name], engine));
    await Promise.all([
      ...Array.from({ length: unitProcesses }, () => runTasks(unitTasks)),
      ...Array.from({ length: concurrency }, () => runTasks(tasks)),
    ]);
  } finally {
    for (const { stop } of engines) await stop?.();
  }
}

interface Selection {
  readonly files: readonly string[];
  /** Whether types and lint are checked. */
  readonly hasChecks: boolean;
  /** Whether PostgreSQL runs only what depends on it. */
  readonly isQuick: boolean;
}

/** Returns the test files for these arguments: `--all`, `--changed`, or paths of files and directories. */
function selectFiles(args: readonly string[]): Selection {
  const paths = args.filter((arg) => !arg.startsWith('--'));
  const options = args.filter((arg) => arg.startsWith('--'));
  if (options.some((option) => option !== '--all' && option !== '--changed') || args.length > Math.max(1, paths.length))
    throw new Error('Usage: npm test [-- --all | --changed | PATH...]');
  if (paths.length > 0) {
    const files = paths.flatMap(filesAt);
    if (files.length === 0) throw new Error(`No test file at ${paths.join(', ')}`);
    return { files, hasChecks: false, isQuick: false };
  }
  const files = [...filesAt('test'), ...filesAt('src'), ...filesAt('web')];
  switch (options[0]) {
    case '--all':
      return { files, hasChecks: true, isQuick: false };
    case '--changed': {
      const changedFiles = listChangedFiles(root);
      const reachedFiles = findReachedTests(root, changedFiles);
      const selectedFiles = reachedFiles.filter((file) => !isOnlyInFullRun(file) || changedFiles.includes(file));
      return {
        files: selectedFiles.map((file) => join(root, file)),
        hasChecks: true,
        isQuick: true,
      };
    }
    default:
      return {
        files: files.filter((file) => !isOnlyInFullRun(relative(root, file))),
        hasChecks: true,
        isQuick: true,
      };
  }
}

type FilesByEngine = Readonly<Record<EngineName, readonly string[]>>;

function divideFullRun(files: readonly string[]): FilesByEngine {
  return {
    'sqlite, every endpoint': [],
    sqlite: files,
    postgres: files.filter((file) => !isPaired(file)),
    'postgres, races': [],
    'postgres, two servers': files.filter(isPaired),
  };
}

function divideQuickRun(files: readonly string[]): FilesByEngine {
  const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
  const reasons = Map.groupBy(
    files,
    (file): PostgresReason => getPostgresReason(relative(root, file), texts.get(file)!),
  );
  const sweeps = (reasons.get('nothing') ?? []).filter((file) => callsEveryEndpoint(texts.get(file)!));
  return {
    'sqlite, every endpoint': sweeps,
    sqlite: files.filter((file) => !sweeps.includes(file)),
    postgres: reasons.get('sql') ?? [],
    'postgres, races': reasons.get('races') ?? [],
    'postgres, two servers': [],
  };
}

async function runTasks(tasks: Task[]): Promise<void> {
  for (let next = tasks.shift(); next !== undefined; next = tasks.shift()) await next();
}

function filesAt(path: string): string[] {
  const absolute = resolve(root, path);
  if (statSync(absolute).isFile()) return [absolute];
  return globSync('**/*.test.ts', { cwd: absolute })
    .sort()
    .map((file) => join(absolute, file));
}

/** Returns whether the tests of a file each attack their own server. */
function isAttack(file: string): boolean {
  return file.startsWith(join(root, 'test/hostile/'));
}

async function check(name: string, program: string, ...args: string[]): Promise<void> {
  const summary = new Summary(name);
  const startedAt = performance.now();
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
  if (code === 0) summary.passed++;
  else summary.failed++;
  summary.seconds += (performance.now() - startedAt) / 1000;
}

type EngineName = 'sqlite, every endpoint' | 'sqlite' | 'postgres' | 'postgres, races' | 'postgres, two servers';

interface TaskOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly minProcesses?: number;
}

interface Engine extends TaskOptions {
  readonly name: EngineName;
  stop?(): Promise<void>;
}

/** Prepares the engines that have files, with the template databases that are copied for each test file. */
async function prepareEngines(files: FilesByEngine): Promise<Engine[]> {
  if (Object.values(files).every(({ length }) => length === 0)) return [];
  // Imported only now: broken types elsewhere must not hide the result of the type check.
  const { makePostgresTemplates, makeSqliteTemplates } = await import('../test/engines/engine.ts');
  const { startPostgres } = await import('../test/engines/postgres-server.ts');
  const usesPostgres = Object.entries(files).some(([name, { length }]) => name.startsWith('postgres') && length > 0);
  const [server] = await Promise.all([
    usesPostgres ? startPostgres([PLAN_ONCE]) : undefined,
    makeSqliteTemplates(scratch),
  ]);
  const sqlite = { HEARTH_TEST_ENGINE: 'sqlite', HEARTH_TEST_SQLITE_TEMPLATES: scratch };
  const everyEndpoint: Engine = { name: 'sqlite, every endpoint', environment: sqlite, minProcesses: 2 };
  // Without PostgreSQL, SQLite checks the examples of all endpoints.
  if (server === undefined) return [everyEndpoint, { name: 'sqlite', environment: sqlite }];
  await makePostgresTemplates(server.url);
  const postgres = { HEARTH_TEST_ENGINE: 'postgres', HEARTH_TEST_POSTGRES_URL: server.url };
  return [
    everyEndpoint,
    { name: 'sqlite', environment: { ...sqlite, HEARTH_TEST_HALF: '0' } },
    { name: 'postgres', environment: { ...postgres, HEARTH_TEST_HALF: '1' }, minProcesses: 2, stop: server.stop },
    { name: 'postgres, races', environment: postgres },
    { name: 'postgres, two servers', environment: { ...postgres, HEARTH_TEST_ENGINE: 'postgres-pair' } },
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
function createTasks(
  name: string,
  files: readonly string[],
  { environment, minProcesses = concurrency }: TaskOptions,
): Task[] {
  if (files.length === 0) return [];
  const summary = new Summary(name);
  const claims = mkdtempSync(join(scratch, 'claims-'));
  const processes = Math.max(minProcesses, Math.ceil(files.length / maxFilesPerProcess) + 1);
  const claimVariables = { HEARTH_TEST_CLAIMS: claims, HEARTH_TEST_FILES_TOGETHER: String(maxFilesPerProcess) };
  let remainingProcesses = processes;
  const runNextProcess = async () => {
    await runProcess(summary, files, { ...environment, ...claimVariables });
    remainingProcesses--;
    if (remainingProcesses === 0) reportNotRun(summary, listUnclaimedFiles(claims, files));
  };
  return Array.from({ length: processes }, () => runNextProcess);
}

/** Reports files that were not run because too many processes died. */
function reportNotRun(summary: Summary, files: readonly string[]): void {
  summary.failed += files.length;
  if (files.length > 0) console.log(`\nNOT RUN (${summary.name}): ${files.join(', ')}`);
}

/** Runs the unclaimed files in one process with these environment variables. */
async function runProcess(
  summary: Summary,
  files: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const startedAt = performance.now();
  let output = '';
  let failed = 0;
  const events = run({
    files: [join(import.meta.dirname, 'test-files.ts')],
    argv: [...files],
    // test-files.ts strips the types of test support.
    execArgv: [...gcOptions, '--disable-warning=ExperimentalWarning'],
    cwd: root,
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache, NODE_ENV: 'test', ...environment },
    timeout: processTimeoutMs,
  });
  for await (const event of events) {
    if (event.type === 'test:stdout' || event.type === 'test:stderr') output += event.data.message;
    else if (event.type === 'test:pass') {
      const { details, skip, todo } = event.data;
      if (details.type !== 'suite' && skip === undefined && todo === undefined) summary.passed++;
    } else if (event.type === 'test:fail') {
      const { details, file = event.data.name, line, name } = event.data;
      const error = details.error as Error & { failureType?: string };
      if (error.failureType === 'subtestsFailed' || event.data.todo !== undefined) continue;
      failed++;
      console.log(`\nFAILED (${summary.name}) ${relative(root, file)}:${line ?? 1}  ${name}\n${describe(error)}`);
    }
  }
  if (failed > 0 && output !== '') {
    console.log(`\nOutput of the same process (${summary.name}):\n${output}`);
  }
  summary.failed += failed;
  summary.seconds += (performance.now() - startedAt) / 1000;
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

let unexpectedErrors = 0;
try {
  await main(process.argv.slice(2));
} catch (error) {
  unexpectedErrors++;
  console.log(error);
}
for (const { name, passed, failed, seconds } of summaries) {
  console.log(`${name}: ${passed} passed, ${failed} failed (${seconds.toFixed(1)} s)`);
}
const passed = summaries.reduce((sum, summary) => sum + summary.passed, 0);
const failed = summaries.reduce((sum, summary) => sum + summary.failed, unexpectedErrors);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
