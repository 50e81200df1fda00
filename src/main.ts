import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import packageJson from '../package.json' with { type: 'json' };
import { checkVariableNames } from './cli/setting-names.ts';
import { type Config, loadConfig } from './config.ts';
import { systemClock } from './runtime/clock.ts';
import type { Log } from './runtime/log.ts';
import { restrictFilePermissions } from './security/private-files.ts';
import { redactText } from './security/redaction.ts';

// The command line interface. Each command imports its modules when it runs.

const usage = `Usage: hearth [command]

Commands:
  serve      run the server (the default)
  migrate    run the pending database migrations and exit
  token      create a personal access token: hearth token create --user root --name ci --scopes api
  backup     write a backup of a server, which may be running: hearth backup FILE.tar [--with-secret-key]
  restore    restore a backup into an empty server: hearth restore FILE.tar
  doctor     check that rows, repositories and files are consistent: hearth doctor [--fix]
  version    print the version
  help       print this text

Settings are environment variables, HEARTH_HOST, HEARTH_PORT, HEARTH_DATA_DIR and others: see the README.
`;

type Command = (args: readonly string[]) => Promise<void>;

const commands: Readonly<Record<string, Command>> = Object.assign(Object.create(null), {
  serve,
  migrate,
  token,
  backup,
  restore,
  doctor,
  version: async (args: readonly string[]) => {
    requireNoArguments(args);
    process.stdout.write(`${packageJson.version}\n`);
  },
  help: async () => void process.stdout.write(usage),
});

const shortForms: Readonly<Record<string, string>> = { '--help': 'help', '-h': 'help', '--version': 'version' };

/** An invalid command line. */
class UsageError extends Error {
  override readonly name = 'UsageError';
}

async function run([firstArgument = 'serve', ...args]: readonly string[]): Promise<void> {
  const name = shortForms[firstArgument] ?? firstArgument;
  const command = commands[name];
  if (!command) throw new UsageError(`Unknown command: ${firstArgument} (hearth help lists them)`);
  if (args.some((arg) => shortForms[arg] === 'help')) return void process.stdout.write(usage);
  restrictFilePermissions();
  await command(args);
}

async function serve(args: readonly string[]): Promise<void> {
  requireNoArguments(args);
  const { config, warnings } = loadCheckedConfig();
  const stopRequested = waitForStopSignal();
  const { requireGit } = await import('./git/process/version.ts');
  // Started first: git runs while the modules load.
  const [, start, { createLog }, { collectGarbageWhenIdle }] = await Promise.all([
    requireGit(),
    loadServer(config),
    import('./runtime/log.ts'),
    import('./runtime/idle-gc.ts'),
  ]);
  const log = createLog(config);
  for (const warning of warnings) log.warn(warning);
  const server = await start(config, { log });
  optimizeHotCode();
  collectGarbageWhenIdle(server.clearCaches);
  await stopRequested;
  await server.stop();
  log.close();
  process.exit(0);
}

/**
 * Makes V8 optimize a function after 1,000 calls instead of 3,000, which saves a quarter of the CPU time of requests. During
 * the start, the earlier compilation would cost more than it saves.
 */
function optimizeHotCode(): void {
  setFlagsFromString('--invocation-count-for-turbofan=1000');
}

interface RunningServer {
  clearCaches(): void;
  stop(): Promise<void>;
}

type StartServer = (config: Config, options: { readonly log: Log }) => Promise<RunningServer>;

/** Loads the start function of a primary or a secondary. */
async function loadServer(config: Config): Promise<StartServer> {
  if (config.role === 'secondary') return (await import('./replication/index.ts')).startSecondary;
  return (await import('./server.ts')).startServer;
}

async function migrate(args: readonly string[]): Promise<void> {
  requireNoArguments(args);
  const config = loadCommandConfig();
  const { openDatabase } = await import('./database/database.ts');
  const { migrate } = await import('./database/migrate.ts');
  const url = config.databaseUrl ?? undefined;
  const { requireCompleteRestore } = await import('./backup/restore-target.ts');
  const database = await openDatabase({ url, dataDir: config.dataDir, clock: systemClock });
  await requireCompleteRestore(config, database);
  const names = await migrate(database).finally(() => database.close());
  process.stdout.write(names.length > 0 ? `${names.join('\n')}\n` : 'The database is up to date.\n');
}

async function token(args: readonly string[]): Promise<void> {
  const config = loadCommandConfig();
  const { tokenCommand } = await import('./cli/token.ts');
  await tokenCommand(args, config, (text) => process.stdout.write(text));
}

async function backup(args: readonly string[]): Promise<void> {
  const context = createCommandContext();
  const { backupCommand } = await loadBackupCommands();
  await backupCommand(args, context);
}

async function restore(args: readonly string[]): Promise<void> {
  const context = createCommandContext();
  const { restoreCommand } = await loadBackupCommands();
  await restoreCommand(args, context);
}

async function doctor(args: readonly string[]): Promise<void> {
  const { config, ...output } = createCommandContext();
  const { doctorCommand } = await loadBackupCommands();
  const { createCommandUnitOfWork } = await import('./server.ts');
  await doctorCommand(args, { config, ...output }, (database) => createCommandUnitOfWork(config, database));
}

/** Loads the commands that run git. Throws ConfigError if git is missing or too old. */
async function loadBackupCommands(): Promise<typeof import('./cli/backup.ts')> {
  const { requireGit } = await import('./git/process/version.ts');
  const [, backupModule] = await Promise.all([requireGit(), import('./cli/backup.ts')]);
  return backupModule;
}

function createCommandContext() {
  const { stdout, stderr } = process;
  return { config: loadCommandConfig(), version: packageJson.version, stdout, stderr };
}

/** Returns the settings, and warnings about unknown HEARTH_* variables. Throws ConfigError. */
function loadCheckedConfig(): { config: Config; warnings: readonly string[] } {
  const warnings = checkVariableNames(process.env);
  return { config: loadConfig(process.env), warnings };
}

/** Returns the settings for a command without a log: warnings go to standard error. Throws ConfigError. */
function loadCommandConfig(): Config {
  const { config, warnings } = loadCheckedConfig();
  for (const warning of warnings) process.stderr.write(`hearth: ${warning}\n`);
  return config;
}

// Milliseconds. Ctrl-C reaches the server directly and again through npm or the launcher: both count as one signal.
const REPEATED_SIGNAL_MS = 500;

/** Resolves at the first SIGTERM or SIGINT. A second one, when the server is still stopping, ends the process at once. */
function waitForStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstSignalAt: number | null = null;
    const onSignal = (_signal: NodeJS.Signals, number: number) => {
      firstSignalAt ??= performance.now();
      resolve();
      if (performance.now() - firstSignalAt > REPEATED_SIGNAL_MS) process.exit(128 + number);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

/** Throws if the command line has arguments. */
function requireNoArguments(args: readonly string[]): void {
  parseArgs({ args: [...args], options: {}, strict: true, allowPositionals: false });
}

// Errors of the environment, such as a used port or a read-only directory, need no stack.
const ENVIRONMENT_ERRORS =
  /^(EADDR|EACCES|EPERM|EROFS|ENOSPC|ENOTDIR|EEXIST|ENOENT|ECONNREFUSED|ENOTFOUND|ERR_PARSE_ARGS)/;

/** Names of errors whose message suffices; other errors are printed with their stack. */
const expectedErrors = [
  'ConfigError',
  'CommandFailed',
  'UsageError',
  'DatabaseUnavailable',
  'DatabaseTooNew',
  'DatabaseTooOld',
  'DataDirectoryInUse',
];

function exitWithError(error: unknown): void {
  process.stderr.write(`hearth: ${redactText(explainError(error))}\n`);
  process.exit(getExitCode(error));
}

function getExitCode(error: unknown): number {
  return error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number' ? error.exitCode : 1;
}

function explainError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (expectedErrors.includes(error.name) || ('code' in error && ENVIRONMENT_ERRORS.test(String(error.code))))
    return error.message;
  return error.stack ?? error.message;
}

run(process.argv.slice(2)).catch(exitWithError);
