import { setFlagsFromString } from 'node:v8';
import { type Config, START_UP_SETTINGS } from '#config.ts';
import type { Log } from '#runtime/log.ts';
import { defineCommand, type HelpTable } from './command.ts';
import { loadCheckedConfig } from './load-config.ts';

/** Runs the server until a signal stops it. */
export const serveCommand = defineCommand({
  positionals: [],
  options: {},
  description: `Runs the server until SIGTERM or SIGINT stops it. The log goes to standard output, one JSON object per line.

The settings are environment variables, which are read once. An invalid value stops the start.`,
  tables: [listSettings()],
  async run({ env }) {
    const { config, warnings } = loadCheckedConfig(env);
    const stopRequested = waitForStopSignal();
    const { requireGit } = await import('#git/process/version.ts');
    // Started first: git runs while the modules load.
    const [, start, { createLog }, { collectGarbageWhenIdle }] = await Promise.all([
      requireGit(),
      loadServer(config),
      import('#runtime/log.ts'),
      import('#runtime/idle-gc.ts'),
    ]);
    const log = createLog(config);
    for (const warning of warnings) log.warn(warning);
    const server = await start(config, { log });
    optimizeHotCode();
    collectGarbageWhenIdle(server.clearCaches);
    const signal = await stopRequested;
    log.info({ signal }, `Hearth stops, because it received ${signal}`);
    await server.stop();
    log.info('Hearth has stopped');
    log.close();
    process.exit(0);
  },
});

/** Returns the table of all settings, with their defaults. */
function listSettings(): HelpTable {
  const rows = Object.entries(START_UP_SETTINGS).map(([name, setting]): [string, string] => {
    const unset = 'default' in setting ? setting.default : setting.whenUnset;
    // The descriptions are Markdown, for the documentation.
    return [name, `${setting.description} (default: ${unset})`.replaceAll('`', '')];
  });
  return { title: 'Settings', rows };
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
  if (config.role === 'secondary') return (await import('#replication/index.ts')).startSecondary;
  return (await import('#server.ts')).startServer;
}

// Milliseconds. Ctrl-C reaches the server directly and again through npm or the launcher: both count as one signal.
const REPEATED_SIGNAL_MS = 500;

/**
 * Resolves with the first SIGTERM or SIGINT. A second one, when the server is still stopping, ends the process immediately.
 * SIGHUP has no effect: terminals send it when they close, and there is nothing to reload.
 */
function waitForStopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstSignalAt: number | null = null;
    const onSignal = (signal: NodeJS.Signals, number: number) => {
      firstSignalAt ??= performance.now();
      resolve(signal);
      if (performance.now() - firstSignalAt > REPEATED_SIGNAL_MS) process.exit(128 + number);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
    process.on('SIGHUP', () => {});
  });
}
