import { CommandFailed } from '#backup/command-failed.ts';
import { CHECK_NAMES, runChecks } from '#backup/doctor.ts';
import { createProgress } from '#backup/progress.ts';
import { withServer } from '#backup/server-data.ts';
import { migrate } from '#database/migrate.ts';
import { requireGit } from '#git/process/version.ts';
import { createCommandUnitOfWork } from '#server.ts';
import { createUsageError, defineCommand } from './command.ts';
import { loadCommandConfig } from './load-config.ts';

/** Checks the data of a server, which may be running. */
export const doctorCommand = defineCommand({
  positionals: [],
  options: {
    fix: { type: 'boolean', description: 'Make all repairs that lose no data' },
    only: {
      type: 'string',
      value: 'CHECK[,CHECK]',
      description: `Run only these checks: ${CHECK_NAMES.join(', ')}`,
    },
  },
  description: `Checks that the rows, repositories and files of a server, which may be running, are consistent, and prints each problem.

Exit code 7: problems found.`,
  async run(context, { fix, only }) {
    const checkNames = only?.split(',');
    const unknownName = checkNames?.find((name) => !CHECK_NAMES.includes(name));
    if (unknownName !== undefined) throw createUsageError(`There is no check ${unknownName}`, 'doctor');
    const config = loadCommandConfig(context);
    await requireGit();
    const print = (line: string) => context.stdout.write(`${line}\n`);
    const findingCount = await withServer(config, createProgress(context.stderr), async (server) => {
      await migrate(server.database);
      const runUnitOfWork = createCommandUnitOfWork(config, server.database);
      return runChecks({ ...server, runUnitOfWork }, { repair: fix, only: checkNames, print });
    });
    if (findingCount > 0)
      throw new CommandFailed(
        'unsound',
        `${findingCount} ${findingCount === 1 ? 'problem' : 'problems'} found: see the lines above`,
      );
    print('No problems found.');
  },
});
