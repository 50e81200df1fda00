import { join, resolve } from 'node:path';
import { type EnvironmentVariables, START_UP_SETTINGS } from '#config.ts';
import { redactText } from '#security/redaction.ts';
import type { CommandOutput } from './command.ts';

/** Errors whose message suffices: they already say what to do. */
const EXPECTED_ERRORS: readonly string[] = [
  'ConfigError',
  'CommandFailed',
  'UsageError',
  'DatabaseTooNew',
  'DatabaseTooOld',
  'DataDirectoryInUse',
];

/** Prints what went wrong and what to do, in one line, and ends the process. Only an unexpected error is printed with its stack. */
export function exitWithError(
  error: unknown,
  { env, stderr }: { env: EnvironmentVariables; stderr: CommandOutput },
): void {
  stderr.write(`hearth: ${redactText(explainError(error, env))}\n`);
  process.exit(getExitCode(error));
}

/** Returns the exit code of a command that failed with this error. */
export function getExitCode(error: unknown): number {
  return error instanceof Error && 'exitCode' in error ? Number(error.exitCode) : 1;
}

/** Returns what went wrong and what to do, in one line; the stack of an unexpected error. */
export function explainError(error: unknown, env: EnvironmentVariables): string {
  if (!(error instanceof Error)) return String(error);
  if (EXPECTED_ERRORS.includes(error.name)) return error.message;
  const cause = error.name === 'DatabaseUnavailable' && error.cause instanceof Error ? error.cause : error;
  const location = { dataDir: resolve(env.HEARTH_DATA_DIR?.trim() || START_UP_SETTINGS.HEARTH_DATA_DIR.default) };
  return (
    explainSqliteError(cause, location) ??
    explainSystemError(cause as NodeJS.ErrnoException, location, error !== cause) ??
    explainPostgresError(cause, error !== cause) ??
    error.stack ??
    error.message
  );
}

interface ErrorPlace {
  /** Absolute path of the data directory. */
  readonly dataDir: string;
}

/** Primary result codes of SQLite: what each means for the file `file`. */
const SQLITE_ERRORS: Readonly<Record<number, (file: string, dataDir: string) => string>> = {
  5: (file) => `Another process writes to ${file}. Wait until it ends, and try again`,
  8: (file) => `${file} cannot be written. Give this user write permission for the file and its directory`,
  10: (file) => `Reading or writing ${file} failed. Check the disk and its free space, and try again`,
  11: (file) => `${file} is damaged. Restore a backup into a new data directory with hearth restore`,
  13: (_file, dataDir) => `The disk of ${dataDir} is full. Free space on it, and start again`,
  14: (file, dataDir) =>
    `${file} cannot be opened. Give this user access to ${dataDir}, or set HEARTH_DATA_DIR to another directory`,
  26: (file) =>
    `${file} is damaged, or not a database of SQLite. Restore a backup into a new data directory with hearth restore`,
};

function explainSqliteError(error: Error, { dataDir }: ErrorPlace): string | null {
  const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : -1;
  const explain = SQLITE_ERRORS[code];
  return explain === undefined ? null : `${explain(join(dataDir, 'hearth.sqlite3'), dataDir)} (${error.message}).`;
}

function explainSystemError(
  error: NodeJS.ErrnoException & { readonly address?: string; readonly port?: number },
  { dataDir }: ErrorPlace,
  isFromDatabase: boolean,
): string | null {
  if (isFromDatabase) return null;
  if (error.syscall === 'listen' || error.syscall === 'getaddrinfo') return explainListenError(error);
  const path = error.path ?? dataDir;
  switch (error.code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `This user may not write ${path} (${error.code}). Give it write permission, or ${chooseOther(path, dataDir)}.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `The disk of ${path} is full (${error.code}). Free space on it, and start again.`;
    case 'ENOTDIR':
    case 'EEXIST':
      return `${path} cannot be created: a part of the path is a file, or it exists (${error.code}). Remove the file, or ${chooseOther(path, dataDir)}.`;
    case 'ENOENT':
      // Node reports a read-only file system as a missing directory.
      if (error.syscall === 'mkdir')
        return `${path} cannot be created: its file system may be read-only (ENOENT). Create it, or ${chooseOther(path, dataDir)}.`;
      return `${path} does not exist, or its directory does not (${error.code}). Create it, or correct the path.`;
    case 'EMFILE':
    case 'ENFILE':
      return `Too many files are open (${error.code}). Raise the limit of open files (ulimit -n), and start again.`;
    default:
      return null;
  }
}

function chooseOther(path: string, dataDir: string): string {
  const isInDataDirectory = path === dataDir || path.startsWith(join(dataDir, '/'));
  return isInDataDirectory ? 'set HEARTH_DATA_DIR to another directory' : 'choose another path';
}

function explainListenError(error: NodeJS.ErrnoException & { address?: string; port?: number }): string | null {
  const address = `${error.address}:${error.port}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return `Another program listens on ${address}. Stop it, or set HEARTH_PORT to another port.`;
    case 'EACCES':
      return `This user may not listen on ${address}. Set HEARTH_PORT to a port above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `This machine has no address of that name (${error.message}). Set HEARTH_HOST to one of its addresses, such as 0.0.0.0.`;
    default:
      return null;
  }
}

/** SQLSTATE codes of PostgreSQL, and what to do. */
const POSTGRES_ERRORS: Readonly<Record<string, string>> = {
  '28000': 'Correct user and password in HEARTH_DATABASE_URL, or the rules in pg_hba.conf',
  '28P01': 'Correct user and password in HEARTH_DATABASE_URL',
  '3D000': 'Create the database, or correct its name in HEARTH_DATABASE_URL',
  '42501': 'Grant the user of HEARTH_DATABASE_URL all rights on the database and its schema',
  '53100': 'Free space on the disk of PostgreSQL',
  '53300': 'Raise max_connections of PostgreSQL: each process of Hearth uses up to 10 connections',
  '57P03': 'PostgreSQL is starting or stopping: try again',
};

function explainPostgresError(error: Error, isFromDatabase: boolean): string | null {
  const code = 'code' in error ? String(error.code) : '';
  const action = POSTGRES_ERRORS[code];
  if (action !== undefined) return `PostgreSQL answers: ${error.message}. ${action}.`;
  if (!isFromDatabase) return null;
  // An AggregateError of several addresses has no message.
  const problem = error.message || code || error.name;
  return `PostgreSQL cannot be reached: ${problem}. Start it, or correct HEARTH_DATABASE_URL.`;
}
