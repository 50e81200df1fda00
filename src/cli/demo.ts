import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { ConfigError, type EnvironmentVariables } from '#config.ts';
import { systemClock } from '#runtime/clock.ts';
import { hasErrorCode } from '#runtime/failure.ts';
import { createUsageError, defineCommand } from './command.ts';
import { loadCommandConfig } from './load-config.ts';
import { serveCommand } from './serve.ts';

/** Fills an empty data directory with an example company and runs the server. */
export const demoCommand = defineCommand({
  positionals: [],
  options: {
    until: { type: 'string', value: 'DATE', description: 'Last day of the year that is created (default: today)' },
  },
  description: `Creates an example company in the data directory, which must be empty, and runs the server until SIGTERM or SIGINT stops it. The company, a maker of pellet stoves, has six people, three projects in two groups, and a year of issues, merge requests and pipelines.

Prints three sign-ins with their password. Start the server with "hearth serve" to continue later with the same data. The settings are those of "hearth serve".`,
  async run(context, { until }) {
    const end = until === null ? systemClock.now() : parseEnd(until);
    const password = randomBytes(9).toString('base64url');
    const rootToken = `demo-${randomBytes(24).toString('base64url')}`;
    const env = {
      HEARTH_LOG_LEVEL: 'warn',
      ...context.env,
      HEARTH_ROOT_PASSWORD: password,
      HEARTH_ROOT_TOKEN: rootToken,
    };
    const config = loadCommandConfig({ env, stderr: context.stderr });
    await requireEmptyDirectory(config.dataDir, config.databaseUrl);
    context.stdout.write('Creating a year of Northfire, a maker of pellet stoves. This takes some seconds.\n');
    const [{ startServer }, { requireGit }, { createLog }, { createDemo }, { createStoryClock }] = await Promise.all([
      import('#server.ts'),
      import('#git/process/version.ts'),
      import('#runtime/log.ts'),
      import('./demo/create-demo.ts'),
      import('./demo/story-clock.ts'),
    ]);
    await requireGit();
    const clock = createStoryClock(end);
    const log = createLog(config, { clock });
    const server = await startServer(config, { clock, log, work: false, isDurable: false });
    await createDemo(server, { clock, rootToken, password });
    const { address } = server;
    await server.stop();
    log.close();
    const url = config.externalUrl === null ? address : config.externalUrl.href;
    context.stdout.write(describeSignIns(url, password, config.dataDir));
    // With HEARTH_PORT=0 the server keeps the port that is printed.
    const serverEnv = { ...toServerEnvironment(env), HEARTH_PORT: new URL(address).port };
    await serveCommand.run({ ...context, env: serverEnv }, {}, []);
  },
});

/** Returns the evening of a day. Throws UsageError for a text that is not a date. */
function parseEnd(text: string): Date {
  const end = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T18:00:00Z`) : null;
  if (end !== null && !Number.isNaN(end.getTime())) return end;
  throw createUsageError(`${text} is not a date such as 2026-06-30`, 'demo');
}

/** Returns the environment of the server that runs on: root exists, with a token that is revoked. */
function toServerEnvironment({ HEARTH_ROOT_TOKEN: _, ...env }: EnvironmentVariables): EnvironmentVariables {
  return env;
}

async function requireEmptyDirectory(directory: string, databaseUrl: string | null): Promise<void> {
  if (databaseUrl !== null)
    throw new ConfigError('hearth demo stores everything in the data directory. Unset HEARTH_DATABASE_URL.');
  const names = await readdir(directory).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT')) return [];
    throw error;
  });
  if (names.length === 0) return;
  throw new ConfigError(
    `${directory} is not empty. Set HEARTH_DATA_DIR to an empty directory, or start the server with its data: hearth serve.`,
  );
}

function describeSignIns(address: string, password: string, dataDir: string): string {
  return `
Open ${address} and sign in as one of these. The password is ${password}

  root     administrator
  ingrid   Owner of both groups
  samir    Developer in the group stoves

Ctrl-C stops the server. To start it again with the same data: HEARTH_DATA_DIR="${dataDir}" hearth serve
`;
}
