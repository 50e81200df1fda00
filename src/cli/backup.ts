import { parseArgs } from 'node:util';
import { backUp } from '#backup/backup.ts';
import { CommandFailed } from '#backup/command-failed.ts';
import { CHECK_NAMES, runChecks } from '#backup/doctor.ts';
import { createProgress, type ProgressOutput } from '#backup/progress.ts';
import { restore } from '#backup/restore.ts';
import { withServer } from '#backup/server-data.ts';
import { type Config, ConfigError } from '#config.ts';
import type { Database } from '#database/database.ts';
import { migrate } from '#database/migrate.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';

const BACKUP = `Usage: hearth backup FILE.tar [--with-secret-key]

Writes a consistent backup of a server, which may be running, to a new archive: rows, repositories and files.
The archive contains the key that encrypts secrets only with --with-secret-key.`;

const RESTORE = `Usage: hearth restore FILE.tar

Restores an archive into an empty data directory and an empty database, of either engine.`;

const DOCTOR = `Usage: hearth doctor [--fix] [--only CHECK[,CHECK]]

Checks that the rows, repositories and files of a server, which may be running, are consistent, and prints all problems.
With --fix it makes all repairs that are safe. Checks: ${CHECK_NAMES.join(', ')}.`;

/** The settings and outputs of a command. */
export interface CommandContext {
  readonly config: Config;
  /** Version of Hearth. */
  readonly version: string;
  readonly stdout: ProgressOutput;
  readonly stderr: ProgressOutput;
}

/**
 * Runs `hearth backup`, also during a running server. A backup is consistent (`backup/snapshot.ts`): refs are listed, then a
 * database snapshot is opened. A list is correct if its repository has the same version in the snapshot and no ref intent; other
 * repositories are listed again, the last few while ref updates are blocked for a short time (`lockRefs`).
 *
 * Bundles and files are copied afterwards: unreachable objects stay for two weeks, and a deletion guard (`deletion-guard.ts`)
 * keeps deleted repositories and blobs. The database describes its own tables (`database/copy.ts`), and a table with the columns
 * `storage` and `disk_path` contains repositories, so that new tables are backed up without further work. A restore writes files
 * first and rows last, in one transaction; a marker file in the data directory shows an incomplete restore.
 */
export async function backupCommand(
  args: readonly string[],
  { config, version, stderr }: CommandContext,
): Promise<void> {
  const options = { 'with-secret-key': { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  const file = requireSingleFile(positionals, BACKUP);
  const progress = createProgress(stderr);
  await withServer(config, progress, async (server) => {
    await backUp(server, { file, version, withSecretKey: values['with-secret-key'] });
  });
}

/** Runs `hearth restore` into an empty data directory and database, on which no server runs. */
export async function restoreCommand(args: readonly string[], { config, stderr }: CommandContext): Promise<void> {
  const { positionals } = parseArgs({ args: [...args], options: {}, strict: true, allowPositionals: true });
  const progress = createProgress(stderr);
  const manifest = await restore(config, requireSingleFile(positionals, RESTORE), progress);
  const { repositories, blobs } = manifest;
  progress.print(
    `Restored what Hearth ${manifest.version} held at ${manifest.time}: ${repositories.count} repositories, ${blobs.count} blobs`,
  );
}

function requireSingleFile(positionals: readonly string[], usage: string): string {
  const [file, ...extraArguments] = positionals;
  if (file === undefined || extraArguments.length > 0) throw new ConfigError(usage);
  return file;
}

/** Runs `hearth doctor`, also during a running server. */
export async function doctorCommand(
  args: readonly string[],
  { config, stdout, stderr }: CommandContext,
  createUnitOfWorkRunner: (database: Database) => RunUnitOfWork,
): Promise<void> {
  const options = { fix: { type: 'boolean', default: false }, only: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  const only = values.only?.split(',');
  if (positionals.length > 0 || only?.some((name) => !CHECK_NAMES.includes(name))) throw new ConfigError(DOCTOR);
  const findingCount = await withServer(config, createProgress(stderr), async (server) => {
    await migrate(server.database);
    const context = { ...server, runUnitOfWork: createUnitOfWorkRunner(server.database) };
    return runChecks(context, { repair: values.fix, only, print: (line) => stdout.write(`${line}\n`) });
  });
  if (findingCount > 0)
    throw new CommandFailed(
      'unsound',
      `${findingCount} ${findingCount === 1 ? 'problem' : 'problems'} found: see the lines above`,
    );
  stdout.write('No problems found.\n');
}
