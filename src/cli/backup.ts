import { backUp } from '#backup/backup.ts';
import { createProgress } from '#backup/progress.ts';
import { restore } from '#backup/restore.ts';
import { withServer } from '#backup/server-data.ts';
import { requireGit } from '#git/process/version.ts';
import { BUILD } from '#runtime/build.ts';
import { defineCommand } from './command.ts';
import { loadCommandConfig } from './load-config.ts';

/**
 * Writes a backup, also during a running server. A backup is consistent (`backup/snapshot.ts`): refs are listed, then a
 * database snapshot is opened. A list is correct if its repository has the same version in the snapshot and no ref intent; other
 * repositories are listed again, the last few while ref updates are blocked for a short time (`lockRefs`).
 *
 * Bundles and files are copied afterwards: unreachable objects stay for two weeks, and a deletion guard (`deletion-guard.ts`)
 * keeps deleted repositories and blobs. The database describes its own tables (`database/copy.ts`), and a table with the columns
 * `storage` and `disk_path` contains repositories, so that new tables are backed up without further work. A restore writes files
 * first and rows last, in one transaction; a marker file in the data directory shows an incomplete restore.
 */
export const backupCommand = defineCommand({
  positionals: ['FILE.tar'],
  options: {
    'with-secret-key': {
      type: 'boolean',
      description: 'Store the key that encrypts secrets in the archive, too. Protect the archive like the key then',
    },
  },
  description: `Writes a consistent backup of a server, which may be running, to a new archive: rows, repositories and files. Prints progress to standard error.

Without the secret key of the server, stored CI variables and tokens of a restored archive cannot be read: keep the key elsewhere, or use --with-secret-key.`,
  async run(context, options, [file]) {
    const config = loadCommandConfig(context);
    await requireGit();
    await withServer(config, createProgress(context.stderr), async (server) => {
      await backUp(server, { file: file!, version: BUILD.version, withSecretKey: options['with-secret-key'] });
    });
  },
});

/** Restores a backup into an empty data directory and database, on which no server runs. */
export const restoreCommand = defineCommand({
  positionals: ['FILE.tar'],
  options: {},
  description: `Restores an archive into an empty data directory and an empty database, of either engine. It verifies the whole archive before it writes. If it is interrupted, run it again.

Exit codes: 3 the target is not empty, 4 the archive is damaged, 5 the archive is from a newer version, 6 the secret key is missing or another one.`,
  async run(context, _options, [file]) {
    const config = loadCommandConfig(context);
    await requireGit();
    const progress = createProgress(context.stderr);
    const { version, time, repositories, blobs } = await restore(config, file!, progress);
    progress.print(
      `Restored what Hearth ${version} held at ${time}: ${repositories.count} repositories, ${blobs.count} blobs`,
    );
  },
});
