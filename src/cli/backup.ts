import { parseArgs } from 'node:util';
import { backUp } from '#backup/backup.ts';
import { CommandFailed } from '#backup/command-failed.ts';
import { CHECK_NAMES, examine } from '#backup/doctor.ts';
import { createProgress, type ProgressOutput } from '#backup/progress.ts';
import { restore } from '#backup/restore.ts';
import { withServer } from '#backup/server-data.ts';
import { type Config, ConfigError } from '#config.ts';
import type { Database } from '#database/database.ts';
import { migrate } from '#database/migrate.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';

const BACKUP = `Usage: hearth backup FILE.tar [--with-secret-key]

Writes one moment of a server, which may run, into a new archive: its rows, its repositories, its files.
The key that secrets are encrypted with is in it only with --with-secret-key.`;

const RESTORE = `Usage: hearth restore FILE.tar

Makes a server of an archive, in an empty data directory and an empty database, whichever engine it was of.`;

const DOCTOR = `Usage: hearth doctor [--mend] [--only CHECK[,CHECK]]

Looks whether the rows, repositories and files of a server, which may run, fit together, and says what is wrong.
With --mend it does what is safe about it. Checks: ${CHECK_NAMES.join(', ')}.`;

/** Where a command is called. */
export interface Called {
  readonly config: Config;
  /** Of Hearth. */
  readonly version: string;
  readonly stdout: ProgressOutput;
  readonly stderr: ProgressOutput;
}

/**
 * `hearth backup`: may run beside a server. A backup is one moment (`backup/snapshot.ts`): refs are listed, then a
 * snapshot of the database is opened, and what was listed at the version that a repository has in the snapshot,
 * without an intent, is right; the rest is listed again, and the last few while those who move refs are held for an
 * instant (`holdRefs`). Bundles and files are copied afterwards, because objects stay for two weeks, and what is
 * removed from storages and blobs is only put out of sight while somebody holds them (`deletion-guard.ts`). The database tells
 * by itself which tables and columns it has (`database/copy.ts`), and a table that names a `storage` and a
 * `disk_path` is one of repositories: nobody has to remember backups. A restore makes files first and rows last, in
 * one transaction; a mark in the data directory tells what was broken off.
 */
export async function backupCommand(args: readonly string[], { config, version, stderr }: Called): Promise<void> {
  const options = { 'with-secret-key': { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  const file = onlyFile(positionals, BACKUP);
  const progress = createProgress(stderr);
  await withServer(config, progress, async (kept) => {
    await backUp(kept, { file, version, withSecretKey: values['with-secret-key'] });
  });
}

/** `hearth restore`: no server runs there yet. */
export async function restoreCommand(args: readonly string[], { config, stderr }: Called): Promise<void> {
  const { positionals } = parseArgs({ args: [...args], options: {}, strict: true, allowPositionals: true });
  const progress = createProgress(stderr);
  const manifest = await restore(config, onlyFile(positionals, RESTORE), progress);
  const { repositories, blobs } = manifest;
  progress.say(
    `Restored what Hearth ${manifest.version} held at ${manifest.time}: ${repositories.count} repositories, ${blobs.count} blobs`,
  );
}

function onlyFile(positionals: readonly string[], usage: string): string {
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw new ConfigError(usage);
  return file;
}

/** `hearth doctor`: may run beside a server. */
export async function doctorCommand(
  args: readonly string[],
  { config, stdout, stderr }: Called,
  actingOn: (database: Database) => RunUnitOfWork,
): Promise<void> {
  const options = { mend: { type: 'boolean', default: false }, only: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  const only = values.only?.split(',');
  if (positionals.length > 0 || only?.some((name) => !CHECK_NAMES.includes(name))) throw new ConfigError(DOCTOR);
  const left = await withServer(config, createProgress(stderr), async (kept) => {
    await migrate(kept.database);
    const examined = { ...kept, runUnitOfWork: actingOn(kept.database) };
    return examine(examined, { mend: values.mend, only, tell: (line) => stdout.write(`${line}\n`) });
  });
  if (left > 0) throw new CommandFailed('unsound', `${left} ${left === 1 ? 'thing is' : 'things are'} wrong`);
  stdout.write('All that is kept here fits together.\n');
}
