import { mkdir } from 'node:fs/promises';
import packageJson from '../package.json' with { type: 'json' };
import { removeOldActivity, removeOldActivityDaily } from './activity/index.ts';
import { families } from './api/index.ts';
import { warnOfIgnoredCredentials } from './authentication/ignored-credentials.ts';
import { sweepOAuth, sweepOAuthDaily } from './authentication/oauth/cleanup.ts';
import { sweepSessions, sweepSessionsDaily } from './authentication/sessions/cleanup.ts';
import { createTokenUses } from './authentication/tokens/token-usage.ts';
import { bootstrapUsers } from './authentication/users/bootstrap.ts';
import { refuseHalfRestored } from './backup/restore-target.ts';
import { createBlobStore } from './blobs/index.ts';
import { baseOf, baseWithoutRequest, type Config } from './config.ts';
import { lockDataDirectory } from './database/data-directory-lock.ts';
import { type Database, openDatabase } from './database/database.ts';
import { migrate } from './database/migrate.ts';
import { createPersonalNamespace } from './domain/namespaces/namespaces.ts';
import { createEventBus } from './events/event-bus.ts';
import { createRunUnitOfWork, type RunUnitOfWork } from './events/unit-of-work.ts';
import { createGit, type Git } from './git/git.ts';
import { leaveStarter } from './git/process/process-spawner.ts';
import { removeStaleLocks } from './git/refs/stale-locks.ts';
import { openApiDocument } from './http/documents/openapi.ts';
import type { Family } from './http/endpoint/resource-module.ts';
import { createTransport } from './http/server/connection/transport.ts';
import { forgetAnswers } from './http/server/response/response-cache.ts';
import { createRegistry, type Registry } from './http/server/routing/registry.ts';
import type { Services } from './http/services.ts';
import { gatherStatistics, gatherStatisticsOften } from './jobs/database-statistics.ts';
import type { Job } from './jobs/job.ts';
import { createQueue, type Queue } from './jobs/queue.ts';
import type { Schedule } from './jobs/schedules.ts';
import { createMailer } from './mail/mailer.ts';
import { createOutbound, type OutboundRules, type Resolver } from './outbound-http/index.ts';
import { createRequestCounts, sweepCounts, sweepCountsDaily } from './rate-limits/window-counters.ts';
import { fullUpkeep, fullUpkeepWeekly, upkeep, upkeepAfterChanges } from './repositories/maintenance/maintenance.ts';
import {
  summarize,
  summarizeAfterChanges,
  summarizeAll,
  summarizeAllDaily,
} from './repositories/maintenance/summary.ts';
import { settleLeft, settleLeftEveryMinute, settleLeftIntents } from './repositories/ref-updates/recovery.ts';
import { wikiUpkeep, wikiUpkeepAfterChanges } from './repositories/wikis/maintenance.ts';
import { type Clock, systemClock } from './runtime/clock.ts';
import { createLog, type Log } from './runtime/log.ts';
import { createMetrics } from './runtime/metrics.ts';
import { loadSecretKey } from './security/key-file.ts';
import { keepFilesPrivate, reachableByOthers } from './security/private-files.ts';
import { redactText } from './security/redaction.ts';
import { type ApplicationSettings, readSettings } from './settings/settings.ts';

/** A running server. */
export interface Server {
  /** Where it listens, `http://127.0.0.1:8080`. */
  readonly address: string;
  readonly services: Services;
  readonly queue: Queue;
  readonly registry: Registry;
  /** Gives up what is kept only to be faster: nobody has asked for a while. */
  forget(): void;
  /** Answers what is in flight, hands work back, closes everything. */
  stop(): Promise<void>;
}

/** What tests put in the place of the machine's. */
export interface Surroundings {
  readonly clock?: Clock;
  readonly log?: Log;
  readonly detectLongTransactions?: boolean;
  /** How long a body may stand still on its way in or out, in milliseconds. */
  readonly patience?: number;
  /** Finds the addresses of other servers. */
  readonly resolver?: Resolver;
  /** false: the queue only works when it is told to (`queue.runDue`), and root's credentials are not checked. */
  readonly work?: boolean;
}

/** The endpoints of every server of this process. */
const registry = createRegistry(families);

/** Puts the rooms together and listens. */
export async function startServer(config: Config, surroundings: Surroundings = {}): Promise<Server> {
  const clock = surroundings.clock ?? systemClock;
  const log = surroundings.log ?? createLog(config, { clock });
  const metrics = createMetrics();
  keepFilesPrivate();
  await mkdir(config.dataDir, { recursive: true });
  await tellOfWideRights(config, log);
  // One server on one embedded database; those on PostgreSQL know each other by what it holds.
  const unlock = config.databaseUrl === null ? lockDataDirectory(config.dataDir) : () => {};
  const database = await openRoom(config, surroundings, clock, log).catch((error: unknown) => {
    unlock();
    throw error;
  });
  const isWanted = wantedBy(config);
  const git = createGit({ storages: storagePaths(config), clock, log: (event, details) => log.warn(details, event) });
  const facts = createFacts(config);
  let serving = false;
  let ownUrl = baseWithoutRequest(config);
  const services: Services = {
    config,
    clock,
    database,
    blobs: createBlobStore({ directory: config.blobsDir, clock }),
    git,
    runUnitOfWork: createRunUnitOfWork({ database, tier: config.tier, ...facts }),
    log,
    mailer: createMailer(config.mail),
    outbound: createOutbound({
      rules: async () => outboundRules(await readSettings(database.current().reader), ownUrl),
      userAgent: `Hearth/${packageJson.version}`,
      ...(surroundings.resolver === undefined ? {} : { resolver: surroundings.resolver }),
    }),
    secretKey: once(() => loadSecretKey(config)),
    metrics,
    tokenUses: createTokenUses({ database, clock, log, shared: config.databaseUrl !== null }),
    countRequest: createRequestCounts(database, config.databaseUrl === null),
    describeApi: (server) => openApiDocument(registry, server),
    ownUrl: () => ownUrl,
    isServing: () => serving,
  };
  const isFirstStart = await bootstrapUsers({
    ...services,
    afterCreate: async (tx, user) => void (await createPersonalNamespace(tx, user)),
  });
  await settleLeftIntents(services, config.databaseUrl === null);
  // Better now than with the first mail.
  if (config.mail.delivery !== 'off') await services.secretKey();
  const queue = createQueue({
    database,
    clock,
    services,
    jobs: [...brought('jobs'), ...trunkJobs, ...facts.jobs],
    schedules: [...brought('schedules').filter(isWanted), ...trunkSchedules],
    redact: redactText,
    alone: config.databaseUrl === null,
    log,
  });
  const transport = createTransport({
    registry,
    services,
    addressing: addressing(config),
    metrics,
    patience: surroundings.patience,
  });
  const address = await transport.listen({ host: config.host, port: config.port });
  if (config.port === 0) ownUrl = baseWithoutRequest(config, Number(new URL(address).port));
  if (surroundings.work !== false) await queue.start();
  serving = true;
  // Looks into every repository: not before the server listens.
  const unlocked = removeStaleLocks(git).catch((err) => log.error({ err }, 'Stale locks could not be removed'));
  const credentialsChecked =
    isFirstStart || surroundings.work === false
      ? undefined
      : warnOfIgnoredCredentials(services).catch((err) =>
          log.error({ err }, 'HEARTH_ROOT_TOKEN and HEARTH_ROOT_PASSWORD could not be compared with those of root'),
        );
  log.info({ address, endpoints: registry.endpoints.length }, 'Hearth is ready');
  return {
    address,
    services,
    queue,
    registry,
    forget() {
      database.forget();
      forgetAnswers(config);
      leaveStarter();
    },
    async stop() {
      serving = false;
      await transport.close();
      await Promise.all([unlocked, credentialsChecked]);
      await queue.stop();
      services.mailer.close();
      await closeServices(services, unlock);
      if (surroundings.log === undefined) log.close();
    },
  };
}

function outboundRules(settings: ApplicationSettings, ownUrl: string): OutboundRules {
  const { max_http_response_size_limit: mebibytes } = settings;
  return {
    allowLocalRequests: settings.allow_local_requests_from_web_hooks_and_services,
    allowList: settings.outbound_local_requests_whitelist,
    maxResponseBytes: mebibytes === 0 ? null : mebibytes * 1024 * 1024,
    ownUrl: new URL(ownUrl),
  };
}

const wantedBy =
  (config: Config) =>
  ({ when }: { when?: (config: Config) => boolean }): boolean =>
    when?.(config) ?? true;

function createFacts(config: Config) {
  return createEventBus([
    ...brought('subscriptions').filter(wantedBy(config)),
    upkeepAfterChanges,
    wikiUpkeepAfterChanges,
    summarizeAfterChanges,
  ]);
}

/** For commands that act beside a server, or where none runs: what follows from it waits in the queue. */
export function actingBeside(config: Config, database: Database): RunUnitOfWork {
  return createRunUnitOfWork({ database, tier: config.tier, ...createFacts(config) });
}

/** Rights that an administrator, or an older version, has given are left as they are. */
async function tellOfWideRights(config: Config, log: Log): Promise<void> {
  const paths = await reachableByOthers([config.dataDir, ...Object.values(storagePaths(config))]);
  if (paths.length > 0)
    log.warn({ paths }, 'Other users of this machine can reach what is kept here: take their rights away');
}

/** Work of the rooms below the API, which the queue does. */
const trunkJobs: readonly Job<Services, never>[] = [
  removeOldActivity,
  sweepCounts,
  gatherStatistics,
  sweepOAuth,
  sweepSessions,
  settleLeft,
  wikiUpkeep,
  upkeep,
  fullUpkeep,
  summarize,
  summarizeAll,
];

const trunkSchedules: readonly Schedule<Services>[] = [
  removeOldActivityDaily,
  sweepCountsDaily,
  gatherStatisticsOften,
  sweepOAuthDaily,
  sweepSessionsDaily,
  settleLeftEveryMinute,
  fullUpkeepWeekly,
  summarizeAllDaily,
];

/** What the families bring along of one kind, in their order. */
function brought<Kind extends 'jobs' | 'schedules' | 'subscriptions'>(kind: Kind): Family[Kind][number][] {
  return Object.values(families).flatMap((each): Family[Kind][number][] => [...each[kind]]);
}

async function openRoom(config: Config, surroundings: Surroundings, clock: Clock, log: Log): Promise<Database> {
  const database = await openDatabase({
    url: config.databaseUrl ?? undefined,
    dataDir: config.dataDir,
    clock,
    log,
    detectLongTransactions: surroundings.detectLongTransactions ?? false,
  });
  try {
    await refuseHalfRestored(config, database);
    await migrate(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function closeServices(
  { git, tokenUses, database }: { git: Git; tokenUses: Services['tokenUses']; database: Database },
  unlock: () => Promise<void> | void,
) {
  await git.close();
  await tokenUses.settled();
  await database.close();
  await unlock();
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function storagePaths(config: Config): Record<string, string> {
  return Object.fromEntries(Object.entries(config.storages).map(([name, { path }]) => [name, path]));
}

function addressing(config: Config) {
  return {
    externalUrl: config.externalUrl === null ? null : baseOf(config.externalUrl),
    trustedProxies: config.trustedProxies,
  };
}
