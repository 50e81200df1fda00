import { mkdir } from 'node:fs/promises';
import { type BlobStore, createBlobStore } from '#blobs/index.ts';
import { baseOf, type Config, ConfigError, inCidrs } from '#config.ts';
import { lockDataDirectory } from '#database/data-directory-lock.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { migrate } from '#database/migrate.ts';
import { createGit, type Git, gitFor } from '#git/git.ts';
import { removeStaleLocks } from '#git/refs/stale-locks.ts';
import type { Incoming } from '#http/request/incoming.ts';
import { type Clock, systemClock } from '#runtime/clock.ts';
import { createLog, type Log } from '#runtime/log.ts';
import { createMetrics } from '#runtime/metrics.ts';
import { loadSecretKey } from '#security/key-file.ts';
import { keepFilesPrivate } from '#security/private-files.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { createAsking } from './primary/client.ts';
import { createPrimary, type Primary } from './primary/primary.ts';
import type { SiteRow, StatusRow } from './primary/schemas.ts';
import { createProxy } from './proxy/proxy.ts';
import { openIdentity, siteNameOf } from './registration/registered-site.ts';
import { createChecks } from './serving/caller-checks.ts';
import { health } from './serving/health.ts';
import { askWhoFetches, fetchOf, serveFetch } from './serving/repositories.ts';
import { serveSites } from './serving/sites.ts';
import { createTransport } from './serving/transport.ts';
import { createTally } from './sync/counters.ts';
import { beat } from './sync/heartbeat.ts';
import { statusDocument } from './sync/status.ts';
import { createLife, type Life } from './sync/sync-loop.ts';

/** A running secondary (contract/operations.md §3.5): copies of what a primary has, and a way to all else. */
export interface Secondary {
  /** Where it listens, `http://127.0.0.1:8080`. */
  readonly address: string;
  readonly database: Database;
  readonly git: Git;
  readonly blobs: BlobStore;
  /** One look at the primary, and everything that follows from it. */
  round(): Promise<void>;
  /** Does what has fallen due by now, without another look at the primary's feed. */
  settle(): Promise<void>;
  /** Tells the primary how far the copies are. */
  report(): Promise<void>;
  /** Gives up what is kept only to be faster: nobody has asked for a while. */
  forget(): void;
  /** Answers what is in flight, breaks copies off, closes everything. */
  stop(): Promise<void>;
}

/** What tests put in the place of the machine's. */
export interface Surroundings {
  readonly clock?: Clock;
  readonly log?: Log;
  readonly detectLongTransactions?: boolean;
  /** How long a body may stand still on its way in or out, in milliseconds. */
  readonly patience?: number;
  /** How long the primary may think about a request that is handed on, in milliseconds. */
  readonly thought?: number;
  /** false: it only looks at its primary when it is told to (`round`). */
  readonly work?: boolean;
}

/**
 * Puts the rooms together and listens. `main.ts` starts `secondary/` in the place of `server.ts` when HEARTH_ROLE says
 * so: another assembly of the same rooms, with a database of its own in which `geo_registry` has a row for each object
 * of the primary. `sync-loop.ts` polls the primary: lists what is in scope, once and when the scope changes, then follows
 * its events (`follow-events.ts`: rows and cursor in one transaction). `workers.ts` has as many copies worked on at once as the
 * site may: `sync.ts` makes them or brings them forward, `verify.ts` compares them. A row's generation is counted up
 * by whatever the primary tells, so that work which began before settles nothing. `transport.ts` answers what is local
 * (fetches from verified copies, the reads of sites, health) to whom the primary would have answered (`caller-checks.ts`),
 * and hands everything else on (`proxy.ts`).
 */
export async function startSecondary(config: Config, surroundings: Surroundings = {}): Promise<Secondary> {
  const clock = surroundings.clock ?? systemClock;
  const log = surroundings.log ?? createLog(config, { clock });
  keepFilesPrivate();
  await mkdir(config.dataDir, { recursive: true });
  const unlock = lockDataDirectory(config.dataDir);
  const end = () => {
    unlock();
    if (surroundings.log === undefined) log.close();
  };
  try {
    return await startLocked(config, { ...surroundings, clock, log, end });
  } catch (error) {
    end();
    throw error;
  }
}

interface Locked extends Surroundings {
  readonly clock: Clock;
  readonly log: Log;
  /** Gives up the data directory, and the log. */
  readonly end: () => void;
}

async function startLocked(config: Config, { clock, log, end, ...surroundings }: Locked): Promise<Secondary> {
  const metrics = createMetrics();
  const key = await loadSecretKey(config);
  const stopping = new AbortController();
  const { signal } = stopping;
  const base = baseOf(config.primaryUrl!);
  const asking = createAsking(base, `Hearth/${packageJson.version}`);
  let port = config.port;
  const registered = await openIdentity({ config, key, asking, clock, log, signal, port: () => port });
  const database = await openRoom(config, surroundings, clock, log);
  const storages = Object.fromEntries(Object.entries(config.storages).map(([name, { path }]) => [name, path]));
  const git = createGit({ storages, clock, log: (event, details) => log.warn(details, event) });
  const blobs = createBlobStore({ directory: config.blobsDir, clock });
  const tally = createTally(clock);
  let life: Life | null = null;
  let primary: Primary | null = null;
  let serving = false;

  /** Comes to life with its identity. */
  const awaken = async (): Promise<Life | null> => {
    if (life !== null) return life;
    await registered.attempt();
    const identity = registered.identity();
    if (identity === null) return null;
    primary = createPrimary({ base, asking, keys: identity, clock, signal });
    // Copies in the making end with this process.
    const own = gitFor(git, {
      signal,
      get gone() {
        return signal.aborted;
      },
    });
    const interval = config.siteSyncIntervalSeconds;
    const { siteId } = identity;
    life = await createLife({ database, git: own, blobs, primary, clock, log, tally, siteId, interval });
    return life;
  };
  const ours = () => (life?.site() ? primary : null);
  const checks = createChecks({ asking, primary: ours, clock });
  const siteId = () => (ours() === null ? null : (life?.site()?.site.id ?? null));
  const ownStatus = async (site: SiteRow, before: StatusRow | undefined) => {
    const polled = life?.site();
    if (life === null || !polled) return null;
    return statusDocument({ report: await life.status(), polled, site, before, now: clock.now() });
  };
  const siteName = () => life?.site()?.site.name ?? siteNameOf(config, port);
  const proxy = createProxy({
    target: () => config.primaryUrl!,
    isTrusted: (address) => inCidrs(config.trustedProxies, address),
    thought: surroundings.thought,
  });
  const services = { database, git, isServing: () => serving };
  const transport = createTransport({
    services: { clock, log, metrics },
    addressing: {
      externalUrl: config.externalUrl === null ? null : baseOf(config.externalUrl),
      trustedProxies: config.trustedProxies,
    },
    proxy,
    siteName,
    patience: surroundings.patience,
    async answer(request) {
      const ownHealth = await health(services, metrics, request);
      if (ownHealth !== null) return ownHealth;
      if (ours() === null) return null;
      const answered =
        (await serveFetch({ database, git, log, checks }, request)) ??
        (await serveSites({ checks, siteId, ownStatus }, request));
      if (answered !== null) count(request, 'proxy_local_requests_event_count_weekly');
      return answered;
    },
    whileAway: (request) => askWhoFetches({ database, git, log, checks }, request),
    handedOn: (request) => count(request, 'proxy_remote_requests_event_count_weekly'),
  });

  const count = (request: Incoming, name: Parameters<typeof tally.count>[0]): void => {
    tally.count(name);
    if (fetchOf(request)?.begins) tally.count('git_fetch_event_count_weekly');
    if (request.method === 'POST' && request.path.endsWith('.git/git-receive-pack')) {
      tally.count('git_push_event_count_weekly');
    }
  };

  const address = await transport.listen({ host: config.host, port: config.port });
  port = Number(new URL(address).port);
  serving = true;
  const unlocked = removeStaleLocks(git).catch((err) => log.error({ err }, 'Stale locks could not be removed'));
  log.info({ address, role: config.role, primary: base }, 'Hearth is ready');
  const rhythm = beat({
    clock,
    poll: async () => (await awaken())?.poll(),
    report: async () => life?.report(),
    look: () => life?.look(),
    pollSeconds: config.siteSyncIntervalSeconds,
    reportSeconds: config.siteStatusIntervalSeconds,
    log,
  });
  if (surroundings.work !== false) rhythm.start();
  return {
    address,
    database,
    git,
    blobs,
    async round() {
      await (await awaken())?.poll();
      await life?.settled();
    },
    async settle() {
      life?.look();
      await life?.settled();
    },
    report: async () => life?.report(),
    forget: () => database.forget(),
    async stop() {
      serving = false;
      // What is broken off now is no failure: it is begun again by the next process.
      const ended = life?.stop();
      stopping.abort();
      await rhythm.stop();
      await transport.close();
      await unlocked;
      proxy.close();
      await git.close();
      await ended;
      await database.close();
      end();
    },
  };
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
    await migrate(database);
    await refusePrimary(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/** What leaves the primary leaves its copies: where the only files of a server are they are not to go. */
async function refusePrimary({ reader }: Database): Promise<void> {
  const user = await reader.selectFrom('users').select('id').limit(1).executeTakeFirst();
  if (user === undefined) return;
  throw new ConfigError('HEARTH_ROLE must not be secondary here: this database is that of a primary, and has users');
}
