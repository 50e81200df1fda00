import { exitWithError } from './cli/explain-error.ts';
import { runCommandLine } from './cli/run.ts';

// The entry of the command line interface. Each command imports its modules when it runs.

const { env, stdin, stdout, stderr } = process;

runCommandLine(process.argv.slice(2), { env, stdin, stdout, stderr }).catch((error) =>
  exitWithError(error, { env, stderr }),
);
