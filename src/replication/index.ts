import { mkdir } from 'node:fs/promises';
import { addServerMetrics, checkMetricsToken, checkReadiness } from '#api/instance/health/index.ts';
import { type BlobStore, createBlobStore } from '#blobs/store.ts';
import { type Config, ConfigError, getBaseUrl, isInCidrs } from '#config.ts';
import { lockDataDirectory } from '#database/data-directory-lock.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { migrate } from '#database/migrate.ts';
import { createGit, type Git, gitForClient } from '#git/git.ts';
import { removeStaleLocks } from '#git/refs/stale-locks.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { OutgoingResponse } from '#http/server/response/response.ts';
import { BUILD } from '#runtime/build.ts';
import { type Clock, systemClock } from '#runtime/clock.ts';
import { createLog, type Log } from '#runtime/log.ts';
import { createMetrics, type Metrics } from '#runtime/metrics.ts';
import { loadSecretKey } from '#security/key-file.ts';
import { restrictFilePermissions } from '#security/private-files.ts';
import { collapseSlashes } from '#text/trim.ts';
import { createPrimaryClient } from './primary/client.ts';
import { createPrimary, type Primary } from './primary/primary.ts';
import type { SiteRow, SiteStatusRow } from './primary/schemas.ts';
import { getSiteName, loadRegisteredSite } from './registration.ts';
import { createCallerChecks } from './serving/caller-checks.ts';
import { createProxy } from './serving/proxy.ts';
import { challengeFetch, parseFetch, serveFetch } from './serving/repositories.ts';
import { serveSites } from './serving/sites.ts';
import { createTransport } from './serving/transport.ts';
import { createCounters } from './sync/counters.ts';
import { buildStatusDocument, createHeartbeat } from './sync/status.ts';
import { createSyncLoop, type SyncLoop } from './sync/sync-loop.ts';

/**
 * A running secondary (contract/operations.md §3.5): it has copies of the primary's data and proxies other requests to
 * it.
 */
export interface Secondary {
  /** Address that it listens on, `http://127.0.0.1:8080`. */
  readonly address: string;
  readonly database: Database;
  readonly git: Git;
  readonly blobs: BlobStore;
  /** Polls the primary once and does all work that follows. */
  pollOnce(): Promise<void>;
  /** Does all work that is due, without polling the primary. */
  settle(): Promise<void>;
  /** Reports the status of the copies to the primary. */
  report(): Promise<void>;
  /** Clears caches, after an idle time. */
  clearCaches(): void;
  /** Finishes running requests, aborts copies in progress and closes everything. */
  stop(): Promise<void>;
}

/** Overrides for tests. */
interface SecondaryOptions {
  readonly clock?: Clock;
  readonly log?: Log;
  readonly detectLongTransactions?: boolean;
  /** Milliseconds that a request or response body may stall. */
  readonly stallTimeoutMs?: number;
  /** Milliseconds that the primary may take to respond to a proxied request. */
  readonly primaryTimeoutMs?: number;
  /** false: it polls the primary only on request (`pollOnce`). */
  readonly runInBackground?: boolean;
}

/**
 * Starts a secondary: `main.ts` calls it instead of `server.ts` if HEARTH_ROLE is `secondary`. It has its own database,
 * in which `geo_registry` has a row for each object of the primary.
 * `sync-loop.ts` polls the primary: it lists the objects in scope, at first and when the scope changes, then follows
 * events (`follow-events.ts`: rows and cursor in one transaction). `workers.ts` processes as many copies concurrently as the
 * site allows: `sync.ts` creates or updates them, `verify.ts` compares them. The primary's events increment the
 * generation of a row, so that work started before does not overwrite newer state.
 * `transport.ts` answers local requests (fetches from verified copies, reads of sites, health). `caller-checks.ts` asks
 * the primary whether the caller has access. All other requests are proxied (`serving/proxy.ts`).
 */
export async function startSecondary(config: Config, options: SecondaryOptions = {}): Promise<Secondary> {
  const clock = options.clock ?? systemClock;
  const log = options.log ?? createLog(config, { clock });
  restrictFilePermissions();
  await mkdir(config.dataDir, { recursive: true });
  const unlock = lockDataDirectory(config.dataDir);
  const releaseResources = () => {
    unlock();
    if (options.log === undefined) log.close();
  };
  try {
    return await startLocked(config, { ...options, clock, log, releaseResources });
  } catch (error) {
    releaseResources();
    throw error;
  }
}

interface LockedOptions extends SecondaryOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Releases the lock of the data directory, and the log. */
  readonly releaseResources: () => void;
}

/** Starts the secondary; its data directory is locked by this process. */
async function startLocked(
  config: Config,
  { clock, log, releaseResources, ...options }: LockedOptions,
): Promise<Secondary> {
  const metrics = createMetrics();
  const key = await loadSecretKey(config);
  const abortController = new AbortController();
  const { signal } = abortController;
  const primaryBaseUrl = getBaseUrl(config.primaryUrl!);
  const client = createPrimaryClient(primaryBaseUrl, `Hearth/${BUILD.version}`);
  let port = config.port;
  const registeredSite = await loadRegisteredSite({ config, key, client, clock, log, signal, getPort: () => port });
  const database = await openSecondaryDatabase(config, options, clock, log);
  const storages = Object.fromEntries(Object.entries(config.storages).map(([name, { path }]) => [name, path]));
  const git = createGit({
    storages,
    clock,
    log: (event, details) => log.warn(details, event),
    onProcessCompleted: metrics.recordGitProcess,
  });
  addServerMetrics(metrics, { config, clock, database, git });
  const blobs = createBlobStore({ directory: config.blobsDir, clock });
  const counters = createCounters(clock);
  let syncLoop: SyncLoop | null = null;
  let primary: Primary | null = null;
  let isServing = false;

  /** Registers the site if necessary and starts the sync loop. */
  const ensureStarted = async (): Promise<SyncLoop | null> => {
    if (syncLoop !== null) return syncLoop;
    await registeredSite.register();
    const identity = registeredSite.identity();
    if (identity === null) return null;
    primary = createPrimary({ base: primaryBaseUrl, client, keys: identity, clock, signal });
    // The stop of this process aborts the git commands of copies in progress.
    const clientGit = gitForClient(git, {
      signal,
      network: '',
      measureStall: () => 0,
      disconnect: () => {},
      get isDisconnected() {
        return signal.aborted;
      },
    });
    syncLoop = await createSyncLoop({
      database,
      git: clientGit,
      blobs,
      primary,
      clock,
      log,
      counters,
      siteId: identity.siteId,
      pollIntervalSeconds: config.siteSyncIntervalSeconds,
    });
    return syncLoop;
  };
  /** Returns the primary; null until it has listed this site. */
  const getCurrentPrimary = () => (syncLoop?.getPolledSite() ? primary : null);
  const checks = createCallerChecks({ client, getPrimary: getCurrentPrimary, clock });
  const getSiteId = () => (getCurrentPrimary() === null ? null : (syncLoop?.getPolledSite()?.site.id ?? null));
  const buildOwnStatus = async (site: SiteRow, previousStatus: SiteStatusRow | undefined) => {
    const polledSite = syncLoop?.getPolledSite();
    if (syncLoop === null || !polledSite) return null;
    return buildStatusDocument({
      report: await syncLoop.buildStatus(),
      polledSite,
      site,
      previousStatus,
      now: clock.now(),
    });
  };
  const getOwnName = () => syncLoop?.getPolledSite()?.site.name ?? getSiteName(config, port);
  const proxy = createProxy({
    getTarget: () => config.primaryUrl!,
    isTrusted: (address) => isInCidrs(config.trustedProxies, address),
    primaryTimeoutMs: options.primaryTimeoutMs,
  });
  const services = { config, database, git, isServing: () => isServing };
  const transport = createTransport({
    services: { clock, log, metrics },
    addressing: {
      externalUrl: config.externalUrl === null ? null : getBaseUrl(config.externalUrl),
      trustedProxies: config.trustedProxies,
    },
    proxy,
    getSiteName: getOwnName,
    stallTimeoutMs: options.stallTimeoutMs,
    async answerLocally(request) {
      const ownHealth = await serveHealth(services, metrics, request);
      if (ownHealth !== null) return ownHealth;
      if (getCurrentPrimary() === null) return null;
      const localResponse =
        (await serveFetch({ database, git, log, checks }, request)) ??
        (await serveSites({ checks, getSiteId, buildOwnStatus }, request));
      if (localResponse !== null) countRequest(request, 'proxy_local_requests_event_count_weekly');
      return localResponse;
    },
    respondWhilePrimaryIsAway: (request) => challengeFetch({ database, git, log, checks }, request),
    onProxied: (request) => countRequest(request, 'proxy_remote_requests_event_count_weekly'),
  });

  /** Counts a request, and whether it is the first one of a fetch, or a push. */
  const countRequest = (request: IncomingRequest, name: Parameters<typeof counters.increment>[0]): void => {
    counters.increment(name);
    if (parseFetch(request)?.isFirstRequest) counters.increment('git_fetch_event_count_weekly');
    if (request.method === 'POST' && collapseSlashes(request.path).endsWith('/git-receive-pack')) {
      counters.increment('git_push_event_count_weekly');
    }
  };

  const address = await transport.listen({ host: config.host, port: config.port });
  port = Number(new URL(address).port);
  isServing = true;
  const lockRemoval = removeStaleLocks(git).catch((err) => log.error({ err }, 'Removing stale locks failed'));
  log.info({ address, ...BUILD, role: config.role, primary: primaryBaseUrl }, 'Hearth is ready');
  const heartbeat = createHeartbeat({
    clock,
    poll: async () => (await ensureStarted())?.poll(),
    report: async () => syncLoop?.report(),
    startDue: () => syncLoop?.startDue(),
    pollSeconds: config.siteSyncIntervalSeconds,
    reportSeconds: config.siteStatusIntervalSeconds,
    log,
  });
  if (options.runInBackground !== false) heartbeat.start();
  return {
    address,
    database,
    git,
    blobs,
    async pollOnce() {
      await (await ensureStarted())?.poll();
      await syncLoop?.idle();
    },
    async settle() {
      syncLoop?.startDue();
      await syncLoop?.idle();
    },
    report: async () => syncLoop?.report(),
    clearCaches: () => database.clearCaches(),
    async stop() {
      isServing = false;
      // Aborted work is not recorded as a failure: the next process starts it again.
      const syncStopped = syncLoop?.stop();
      abortController.abort();
      await heartbeat.stop();
      await transport.close();
      await lockRemoval;
      proxy.close();
      await git.close();
      await syncStopped;
      await database.close();
      releaseResources();
    },
  };
}

async function openSecondaryDatabase(
  config: Config,
  options: SecondaryOptions,
  clock: Clock,
  log: Log,
): Promise<Database> {
  const database = await openDatabase({
    url: config.databaseUrl ?? undefined,
    dataDir: config.dataDir,
    clock,
    log,
    detectLongTransactions: options.detectLongTransactions ?? false,
  });
  try {
    await migrate(database);
    await requireNoUsers(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/**
 * Throws a ConfigError for the database of a primary. A secondary deletes its copy of each object that the primary deletes, which
 * here would be the only one.
 */
async function requireNoUsers({ reader }: Database): Promise<void> {
  const user = await reader.selectFrom('users').select('id').limit(1).executeTakeFirst();
  if (user === undefined) return;
  throw new ConfigError('HEARTH_ROLE must not be secondary: the database belongs to a primary and has users');
}

/**
 * Answers health checks, which concern this process and not the primary (contract/conventions.md §10 "Health"); null
 * for other requests.
 */
async function serveHealth(
  services: Parameters<typeof checkReadiness>[0],
  metrics: Metrics,
  request: IncomingRequest,
): Promise<OutgoingResponse | null> {
  const { method, path, query } = request;
  if (method !== 'GET' && method !== 'HEAD') return null;
  const createResponse = (type: string, body: string, status = 200) => ({
    status,
    headers: { 'Content-Type': type, 'Cache-Control': 'no-cache' },
    body,
  });
  switch (collapseSlashes(path)) {
    case '/-/health':
      return createResponse('text/plain', 'GitLab OK');
    case '/-/liveness':
      return createResponse('application/json', '{"status":"ok"}');
    case '/-/readiness': {
      const readiness = await checkReadiness(services, /(?:^|&)all=(?:1|true)(?:&|$)/.test(query));
      return createResponse('application/json', JSON.stringify(readiness), readiness.status === 'ok' ? 200 : 503);
    }
    case '/-/metrics': {
      const error = checkMetricsToken(services.config, request);
      if (error !== null)
        return {
          status: error.status,
          headers: { ...error.headers, 'Content-Type': 'application/json' },
          body: JSON.stringify(error.body),
        };
      return createResponse(metrics.contentType, await metrics.text());
    }
    default:
      return null;
  }
}
