import { mkdir } from 'node:fs/promises';
import { cleanUpOAuthDaily, cleanUpOAuthJob } from '#authentication/oauth/authorization-codes.ts';
import { cleanUpSessionsDaily, cleanUpSessionsJob } from '#authentication/sessions/sessions.ts';
import { type Schedule, updateStatisticsJob, updateStatisticsRegularly } from '#jobs/schedules.ts';
import {
  fullMaintenance,
  fullMaintenanceWeekly,
  maintainAfterRefChanges,
  maintainRepository,
  maintainSnippet,
  maintainSnippetAfterRefChanges,
} from '#repositories/maintenance/maintenance.ts';
import { deleteOldActivityJob, deleteOldActivitySchedule } from './activity/index.ts';
import { resourceModules } from './api/index.ts';
import { addServerMetrics } from './api/instance/health/index.ts';
import { warnIfRootCredentialsDiffer } from './authentication/ignored-credentials.ts';
import { createTokenUsage } from './authentication/tokens/token-usage.ts';
import { bootstrapUsers } from './authentication/users/bootstrap.ts';
import { requireCompleteRestore } from './backup/restore-target.ts';
import { createBlobStore } from './blobs/store.ts';
import { type Config, getBaseUrl, getServerUrl } from './config.ts';
import { lockDataDirectory } from './database/data-directory-lock.ts';
import { type Database, openDatabase } from './database/database.ts';
import { migrate } from './database/migrate.ts';
import { createPersonalNamespace } from './domain/namespaces/namespaces.ts';
import { createEventBus } from './events/event-bus.ts';
import { ownedRowsSubscriptions } from './events/owned-rows.ts';
import { createRunUnitOfWork, type RunUnitOfWork } from './events/unit-of-work.ts';
import { createGit, type Git } from './git/git.ts';
import { stopSpawner } from './git/process/process-spawner.ts';
import { removeStaleLocks } from './git/refs/stale-locks.ts';
import { buildOpenApiDocument } from './http/documents/openapi.ts';
import type { ResourceModule } from './http/endpoint/resource-module.ts';
import { createTransport } from './http/server/connection/transport.ts';
import { clearResponseCache } from './http/server/response/response-cache.ts';
import { createRegistry, type Registry } from './http/server/routing/registry.ts';
import type { Services } from './http/services.ts';
import type { JobDefinition } from './jobs/job.ts';
import { createJobQueue, type JobQueue } from './jobs/queue.ts';
import { createMailer } from './mail/mailer.ts';
import type { OutboundRules, Resolver } from './outbound-http/check-url.ts';
import { createOutbound } from './outbound-http/client.ts';
import { cleanUpCountsDaily, cleanUpCountsJob, createRequestCounter } from './rate-limits/window-counters.ts';
import {
  updateOutdatedRepositorySummaries,
  updateOutdatedRepositorySummariesDaily,
  updateRepositorySummary,
  updateRepositorySummaryAfterRefChanges,
} from './repositories/maintenance/summary.ts';
import {
  recoverInterruptedRefUpdates,
  recoverInterruptedRefUpdatesEveryMinute,
  recoverInterruptedRefUpdatesJob,
} from './repositories/ref-updates/recovery.ts';
import { maintainWiki, maintainWikiAfterRefChanges } from './repositories/wikis/maintenance.ts';
import { BUILD } from './runtime/build.ts';
import { type Clock, systemClock } from './runtime/clock.ts';
import { createLog, type Log } from './runtime/log.ts';
import { createMetrics } from './runtime/metrics.ts';
import { listFilesAccessibleByOthers, restrictFilePermissions } from './security/private-files.ts';
import { redactText } from './security/redaction.ts';
import { loadServerKey } from './settings/server-key.ts';
import { type ApplicationSettings, loadSettings } from './settings/settings.ts';

/** A running server. */
export interface Server {
  /** The URL that the server listens on, such as `http://127.0.0.1:8080`. */
  readonly address: string;
  readonly services: Services;
  readonly queue: JobQueue;
  readonly registry: Registry;
  /** Clears all caches and stops the process spawner. Called when the server is idle. */
  clearCaches(): void;
  /** Completes running requests, releases jobs and closes all services. */
  stop(): Promise<void>;
}

/** Services and options that tests and the demo override. */
interface ServerOverrides {
  readonly clock?: Clock;
  readonly log?: Log;
  readonly detectLongTransactions?: boolean;
  /** False: SQLite does not wait for the disk, for data that can be created again. Default: true. */
  readonly isDurable?: boolean;
  /** Milliseconds for which a request or response body may stall. */
  readonly idleTimeoutMs?: number;
  /** Resolves the host names of other servers. */
  readonly resolver?: Resolver;
  /** False: the queue runs jobs only on request (`queue.runDue`), and root's credentials are not checked. Default: true. */
  readonly work?: boolean;
}

/** The endpoints, shared by all servers of this process. */
const registry = createRegistry(resourceModules);

/** Migrates the database, creates the services, starts to listen and then runs jobs. */
export async function startServer(config: Config, overrides: ServerOverrides = {}): Promise<Server> {
  const clock = overrides.clock ?? systemClock;
  const log = overrides.log ?? createLog(config, { clock });
  const metrics = createMetrics();
  restrictFilePermissions();
  await mkdir(config.dataDir, { recursive: true });
  await warnAboutFilePermissions(config, log);
  // SQLite allows one server per data directory; servers on PostgreSQL coordinate through the database.
  const unlock = config.databaseUrl === null ? lockDataDirectory(config.dataDir) : () => {};
  const database = await openMigratedDatabase(config, overrides, clock, log).catch((error: unknown) => {
    unlock();
    throw error;
  });
  const secretKey = await loadServerKey(config, database).catch(async (error: unknown) => {
    await database.close();
    unlock();
    throw error;
  });
  const git = createGit({
    storages: getStoragePaths(config),
    clock,
    log: (event, details) => log.warn(details, event),
    onProcessCompleted: metrics.recordGitProcess,
  });
  const eventBus = createServerEventBus(config);
  let serving = false;
  let publicUrl = getServerUrl(config);
  const services: Services = {
    config,
    clock,
    database,
    blobs: createBlobStore({ directory: config.blobsDir, clock }),
    git,
    runUnitOfWork: createRunUnitOfWork({ database, tier: config.tier, ...eventBus }),
    log,
    mailer: createMailer(config.mail),
    outbound: createOutbound({
      rules: async () => buildOutboundRules(await loadSettings(database.forRequest().reader), publicUrl),
      userAgent: `Hearth/${BUILD.version}`,
      ...(overrides.resolver === undefined ? {} : { resolver: overrides.resolver }),
    }),
    secretKey: async () => secretKey,
    metrics,
    tokenUsage: createTokenUsage({ database, clock, log, isDatabaseShared: config.databaseUrl !== null }),
    countRequest: createRequestCounter(database, config.databaseUrl === null),
    describeApi: (server) => buildOpenApiDocument(registry, server),
    pushOptionHandlers: listFromModules('pushOptionHandlers'),
    serverUrl: () => publicUrl,
    isServing: () => serving,
  };
  const isFirstStart = await bootstrapUsers({
    ...services,
    afterCreate: async (tx, user) => void (await createPersonalNamespace(tx, user)),
  });
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: config.databaseUrl === null });
  addServerMetrics(metrics, services);
  const queue = createJobQueue({
    database,
    clock,
    services,
    jobs: [...listFromModules('jobs'), ...coreJobs, ...eventBus.jobs],
    schedules: [...listFromModules('schedules').filter(isEnabledIn(config)), ...coreSchedules],
    redact: redactText,
    onJobCompleted: metrics.recordJob,
    isOnlyProcess: config.databaseUrl === null,
    log,
  });
  const transport = createTransport({
    registry,
    services,
    addressing: getAddressing(config),
    metrics,
    idleTimeoutMs: overrides.idleTimeoutMs,
    graceMs: config.shutdownTimeoutSeconds * 1000,
  });
  const address = await transport.listen({ host: config.host, port: config.port });
  if (config.port === 0) publicUrl = getServerUrl(config, Number(new URL(address).port));
  if (overrides.work !== false) await queue.start();
  serving = true;
  // Runs in the background after the server listens, because it reads all repositories.
  const lockCleanup = removeStaleLocks(git).catch((err) => log.error({ err }, 'Stale locks could not be removed'));
  const credentialsCheck =
    isFirstStart || overrides.work === false
      ? undefined
      : warnIfRootCredentialsDiffer(services).catch((err) =>
          log.error({ err }, 'HEARTH_ROOT_TOKEN and HEARTH_ROOT_PASSWORD could not be compared with those of root'),
        );
  log.info({ address, ...BUILD, endpoints: registry.endpoints.length }, 'Hearth is ready');
  return {
    address,
    services,
    queue,
    registry,
    clearCaches() {
      database.clearCaches();
      clearResponseCache(config);
      stopSpawner();
    },
    async stop() {
      serving = false;
      const [requestCount, jobKinds] = await Promise.all([
        transport.close(),
        queue.stop(config.shutdownTimeoutSeconds * 1000),
      ]);
      if (requestCount > 0 || jobKinds.length > 0) {
        log.warn(
          { requests: requestCount, jobs: jobKinds, seconds: config.shutdownTimeoutSeconds },
          'Requests or jobs were interrupted, because they did not end within HEARTH_SHUTDOWN_TIMEOUT. The jobs run again later',
        );
      }
      await Promise.all([lockCleanup, credentialsCheck]);
      services.mailer.close();
      await closeServices(services, unlock);
      if (overrides.log === undefined) log.close();
    },
  };
}

function buildOutboundRules(settings: ApplicationSettings, publicUrl: string): OutboundRules {
  const { max_http_response_size_limit: maxMebibytes } = settings;
  return {
    allowLocalRequests: settings.allow_local_requests_from_web_hooks_and_services,
    allowList: settings.outbound_local_requests_whitelist,
    maxResponseBytes: maxMebibytes === 0 ? null : maxMebibytes * 1024 * 1024,
    serverUrl: new URL(publicUrl),
  };
}

const isEnabledIn =
  (config: Config) =>
  ({ isEnabled }: { readonly isEnabled?: (config: Config) => boolean }): boolean =>
    isEnabled?.(config) ?? true;

function createServerEventBus(config: Config) {
  return createEventBus([
    // To-dos and other dependent rows are deleted before the rows that resources delete.
    ...ownedRowsSubscriptions,
    ...Object.values(resourceModules)
      .flatMap(({ subscriptions }) => subscriptions)
      .filter(isEnabledIn(config)),
    maintainAfterRefChanges,
    maintainWikiAfterRefChanges,
    maintainSnippetAfterRefChanges,
    updateRepositorySummaryAfterRefChanges,
  ]);
}

/** Creates the unit of work for CLI commands. Jobs that it enqueues wait until a server runs. */
export function createCommandUnitOfWork(config: Config, database: Database): RunUnitOfWork {
  return createRunUnitOfWork({ database, tier: config.tier, ...createServerEventBus(config) });
}

/** Warns about files that other users can access. Does not change permissions that an administrator may have set. */
async function warnAboutFilePermissions(config: Config, log: Log): Promise<void> {
  const paths = await listFilesAccessibleByOthers([config.dataDir, ...Object.values(getStoragePaths(config))]);
  if (paths.length > 0)
    log.warn({ paths }, 'Other users of this machine can access files of Hearth: remove their permissions with chmod');
}

/** Background jobs of the layers below the API. */
const coreJobs: readonly JobDefinition<Services, never>[] = [
  deleteOldActivityJob,
  cleanUpCountsJob,
  updateStatisticsJob,
  cleanUpOAuthJob,
  cleanUpSessionsJob,
  recoverInterruptedRefUpdatesJob,
  maintainWiki,
  maintainSnippet,
  maintainRepository,
  fullMaintenance,
  updateRepositorySummary,
  updateOutdatedRepositorySummaries,
];

const coreSchedules: readonly Schedule<Services>[] = [
  deleteOldActivitySchedule,
  cleanUpCountsDaily,
  updateStatisticsRegularly,
  cleanUpOAuthDaily,
  cleanUpSessionsDaily,
  recoverInterruptedRefUpdatesEveryMinute,
  fullMaintenanceWeekly,
  updateOutdatedRepositorySummariesDaily,
];

/** Returns the jobs or schedules of all resource modules, in their order. */
function listFromModules<Kind extends 'jobs' | 'schedules' | 'pushOptionHandlers'>(
  kind: Kind,
): ResourceModule[Kind][number][] {
  return Object.values(resourceModules).flatMap((resourceModule): ResourceModule[Kind][number][] => [
    ...resourceModule[kind],
  ]);
}

async function openMigratedDatabase(
  config: Config,
  overrides: ServerOverrides,
  clock: Clock,
  log: Log,
): Promise<Database> {
  const database = await openDatabase({
    url: config.databaseUrl ?? undefined,
    dataDir: config.dataDir,
    clock,
    log,
    detectLongTransactions: overrides.detectLongTransactions ?? false,
    isDurable: overrides.isDurable ?? true,
  });
  try {
    await requireCompleteRestore(config, database);
    await migrate(database, undefined, log.info);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function closeServices(
  { git, tokenUsage, database }: { git: Git; tokenUsage: Services['tokenUsage']; database: Database },
  unlock: () => Promise<void> | void,
) {
  await git.close();
  await tokenUsage.waitForFlush();
  await database.close();
  await unlock();
}

function getStoragePaths(config: Config): Record<string, string> {
  return Object.fromEntries(Object.entries(config.storages).map(([name, { path }]) => [name, path]));
}

/** Returns the settings by which the transport determines a request's base URL and client address. */
function getAddressing(config: Config) {
  return {
    externalUrl: config.externalUrl === null ? null : getBaseUrl(config.externalUrl),
    trustedProxies: config.trustedProxies,
  };
}
