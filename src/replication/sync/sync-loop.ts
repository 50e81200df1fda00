import { type Clock, DAY_MS, momentAfter, timestamp } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { PrimaryFailure } from '../primary/client.ts';
import type { Primary } from '../primary/primary.ts';
import type { PolledSite, Site } from '../primary/schemas.ts';
import type { Tally } from './counters.ts';
import { follow, followEvents } from './follow-events.ts';
import { resume, verifyAgain } from './registry.ts';
import { type StatusReport, statusReport } from './status.ts';
import { type Copying, giveUp, sync } from './sync.ts';
import { postpone, verify } from './verify.ts';
import { createWork, type Worker } from './workers.ts';

/** What a secondary does by itself: polls, follows, copies, verifies, reports. */
export interface Life {
  /** This site as the primary had it last; null: it has not said, or knows it no more. */
  site(): PolledSite | null;
  /** One look at the primary, and the work that follows from it is begun. Never rejects. */
  poll(): Promise<void>;
  /** Tells the primary how far the copies are; not while the site is disabled. Never rejects. */
  report(): Promise<void>;
  /** What it would tell at this moment. */
  status(): Promise<StatusReport>;
  /** Begins what is due by now. */
  look(): void;
  /** Resolves when nothing that is due is left to do. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

interface LifeOptions extends Copying {
  readonly clock: Clock;
  readonly log: Log;
  readonly tally: Tally;
  readonly siteId: number;
  /** Seconds between two looks at the primary. */
  readonly interval: number;
}

/** Rows that are verified again at one look. */
const AGAIN = 1_000;

export async function createLife(options: LifeOptions): Promise<Life> {
  const { database, primary, clock, log, tally, siteId, git, interval } = options;
  await database.transaction((tx) => resume(tx));
  let polled: PolledSite | null = null;
  let following: Promise<void> = Promise.resolve();

  /** One after another: two would move one cursor. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const mine = following.then(work);
    following = mine.catch(() => {});
    return mine;
  };
  const verifying = {
    ...options,
    patience: interval,
    followEvents: () => inTurn(() => followEvents({ database, clock, primary, log })),
  };
  const syncing: Worker = {
    work: (copy) => sync(options, copy),
    giveUp: (copy, error) => database.transaction((tx) => giveUp(tx, copy, error, textOf(error))),
  };
  const work = createWork({
    database,
    clock,
    log,
    workers: {
      repository: syncing,
      blob: syncing,
      verification: {
        work: (copy) => verify(verifying, copy),
        giveUp: async (copy, error) => void (await postpone(options, copy, textOf(error))),
      },
    },
    capacities: () => (polled?.site.enabled ? capacitiesOf(polled.site) : null),
  });

  const status = () => statusReport({ database, git, primary, siteId, now: clock.now() });

  const pollOnce = async (): Promise<void> => {
    const before = polled;
    polled = await askForSite(primary, before, log);
    if (polled === null || !polled.site.enabled) return;
    const { site } = polled;
    await inTurn(() => follow({ database, clock, primary, log }, site));
    const verifiedUntil = momentAfter(timestamp(clock), -site.minimum_reverification_interval * DAY_MS);
    await database.transaction((tx) => verifyAgain(tx, verifiedUntil, AGAIN));
    work.look();
  };

  return {
    site: () => polled,
    status,
    look: () => work.look(),
    settled: () => work.settled(),
    async poll() {
      await pollOnce().catch((error) => tellOf(log, error, 'The primary could not be followed'));
      await tally.keep(database).catch((error) => log.warn({ err: error }, 'Counts could not be kept'));
      const done = work.done();
      if (Object.values(done).some((count) => count > 0)) log.info(done, 'Copies were worked on');
    },
    async report() {
      if (!polled?.site.enabled) return;
      try {
        await primary.report(await status());
      } catch (error) {
        tellOf(log, error, 'The status could not be reported');
      }
    },
    async stop() {
      await work.stop();
      await following;
      await tally.keep(database).catch(() => {});
    },
  };
}

/** Null: the primary does not know this site any more. What it was before holds while nobody can say. */
async function askForSite(primary: Primary, before: PolledSite | null, log: Log): Promise<PolledSite | null> {
  try {
    const polled = await primary.site();
    if (before?.site.enabled !== polled.site.enabled)
      log.info({ enabled: polled.site.enabled }, 'The primary has this site');
    return polled;
  } catch (error) {
    if (!(error instanceof PrimaryFailure) || error.kind !== 'rejected') throw error;
    if (before !== null)
      log.warn({ reason: error.message }, 'This site is none of the primary any more: copies stay as they are');
    return null;
  }
}

function capacitiesOf(site: Site) {
  return {
    repository: site.repos_max_capacity,
    blob: site.files_max_capacity,
    verification: site.verification_max_capacity,
  };
}

/** What the primary does or leaves is no fault of this process. */
function tellOf(log: Log, error: unknown, text: string): void {
  if (error instanceof PrimaryFailure) log.warn({ reason: error.message }, text);
  else log.error({ err: error }, text);
}

const LONGEST_TEXT = 500;

function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_TEXT);
}
