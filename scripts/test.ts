// `npm test`: type check, lint, and every test file on both engines. `npm test -- src/git` runs only the files named or
// below the directories named. The last line is `N passed, N failed`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, rmSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { inspect } from 'node:util';
import type { PostgresServer } from '../test/engines/postgres-server.ts';
import { scratchDirectory } from '../test/engines/scratch.ts';

const root = join(import.meta.dirname, '..');
/** Loading TypeScript is most of what a small file costs: later files and later runs take it from here. */
const compileCache = join(root, 'node_modules/.cache/hearth-compile');
const atOnce = 2;
const longestFile = 300_000;

interface Count {
  passed: number;
  failed: number;
}

const total: Count = { passed: 0, failed: 0 };

async function main(named: string[]): Promise<void> {
  const files = named.length > 0 ? named.flatMap(filesAt) : [...filesAt('src'), ...filesAt('test')];
  if (named.length > 0 && files.length === 0) throw new Error(`No test file at ${named.join(', ')}`);
  if (named.length === 0) {
    await check('types', 'node_modules/typescript/bin/tsc', '--noEmit');
    await check('lint', 'node_modules/@biomejs/biome/bin/biome', 'check', '--reporter=summary');
  }
  const onOneEngine = files.filter(isUnit);
  const onBothEngines = files.filter((file) => !isUnit(file));
  if (onOneEngine.length > 0) await runFiles('no database', onOneEngine, {});
  if (onBothEngines.length > 0) await runOnBothEngines(onBothEngines);
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

async function check(name: string, program: string, ...args: string[]): Promise<void> {
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
  tell(name, code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }, began);
}

async function runOnBothEngines(files: string[]): Promise<void> {
  // Imported only now: broken types elsewhere must not hide the result of the type check.
  const { makePostgresTemplate, makeSqliteTemplate } = await import('../test/engines/engine.ts');
  const { startPostgres } = await import('../test/engines/postgres-server.ts');
  let server: PostgresServer | undefined;
  try {
    const template = await makeSqliteTemplate(scratch);
    await runFiles('sqlite', files, { HEARTH_TEST_ENGINE: 'sqlite', HEARTH_TEST_SQLITE_TEMPLATE: template });
    server = await startPostgres();
    await makePostgresTemplate(server.url, 'hearth_template');
    await runFiles('postgres', files, {
      HEARTH_TEST_ENGINE: 'postgres',
      HEARTH_TEST_POSTGRES_URL: server.url,
      HEARTH_TEST_POSTGRES_TEMPLATE: 'hearth_template',
    });
  } finally {
    await server?.stop();
  }
}

/** Runs each file in its own process; the processes inherit `environment`. */
async function runFiles(name: string, files: string[], environment: Record<string, string>): Promise<void> {
  const began = performance.now();
  const count: Count = { passed: 0, failed: 0 };
  const said = new Map<string, string>();
  Object.assign(process.env, environment, { NODE_COMPILE_CACHE: compileCache, NODE_ENV: 'test' });
  const failedFiles = new Set<string>();
  for await (const event of run({ files, cwd: root, concurrency: atOnce, timeout: longestFile })) {
    if (event.type === 'test:stdout' || event.type === 'test:stderr') {
      const { file, message } = event.data;
      said.set(file, (said.get(file) ?? '') + message);
    } else if (event.type === 'test:pass') {
      const { details, skip, todo } = event.data;
      if (details.type !== 'suite' && skip === undefined && todo === undefined) count.passed++;
    } else if (event.type === 'test:fail') {
      const { details, file = event.data.name, line, name: testName } = event.data;
      const error = details.error as Error & { failureType?: string };
      if (error.failureType === 'subtestsFailed' || event.data.todo !== undefined) continue;
      count.failed++;
      failedFiles.add(file);
      console.log(`\nFAILED (${name}) ${relative(root, file)}:${line ?? 1}  ${testName}\n${describe(error)}`);
    }
  }
  for (const file of failedFiles) {
    if (said.has(file)) console.log(`\nOutput of ${relative(root, file)} (${name}):\n${said.get(file)}`);
  }
  for (const key of Object.keys(environment)) delete process.env[key];
  tell(name, count, began);
}

/** The runner wraps what was thrown; assertion errors carry their difference in the message. */
function describe(error: Error): string {
  const thrown = error.cause ?? error;
  // Whatever it is: not everything that can be thrown becomes text.
  if (!(thrown instanceof Error)) return inspect(thrown);
  const lines = (thrown.stack ?? thrown.message).split('\n');
  return lines.filter((line) => !line.includes('(node:internal/') && !line.includes('(node:async_hooks')).join('\n');
}

function tell(name: string, { passed, failed }: Count, began: number): void {
  total.passed += passed;
  total.failed += failed;
  console.log(`${name}: ${passed} passed, ${failed} failed (${((performance.now() - began) / 1000).toFixed(1)} s)`);
}

/** Everything that tests write is below it. Readable by others: PostgreSQL may run as another user. */
const scratch = await scratchDirectory('hearth-run-');
chmodSync(scratch, 0o755);
Object.assign(process.env, { HEARTH_TEST_SCRATCH: scratch, TMPDIR: scratch });
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));

try {
  await main(process.argv.slice(2));
} catch (error) {
  total.failed++;
  console.log(error);
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;
