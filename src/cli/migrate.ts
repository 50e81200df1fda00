import { requireCompleteRestore } from '#backup/restore-target.ts';
import { openDatabase } from '#database/database.ts';
import { migrate } from '#database/migrate.ts';
import { systemClock } from '#runtime/clock.ts';
import { defineCommand } from './command.ts';
import { loadCommandConfig } from './load-config.ts';

/** Runs the pending migrations and prints their names. */
export const migrateCommand = defineCommand({
  positionals: [],
  options: {},
  description:
    'Runs the pending migrations of the database and prints their names. The server does the same when it starts. Make a backup first: a migrated database does not work with older versions.',
  async run(context) {
    const config = loadCommandConfig(context);
    const database = await openDatabase({
      url: config.databaseUrl ?? undefined,
      dataDir: config.dataDir,
      clock: systemClock,
    });
    try {
      await requireCompleteRestore(config, database);
      const names = await migrate(database);
      context.stdout.write(names.length > 0 ? `${names.join('\n')}\n` : 'The database is up to date.\n');
    } finally {
      await database.close();
    }
  },
});
