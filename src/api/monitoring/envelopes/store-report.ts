import type { Transaction } from '#database/database.ts';
import { prepareForIds, prepareForRows, type RowParameters } from '#database/prepare.ts';
import { buildErrorReportsLockKey, findIngestionLimits } from '#domain/error-tracking.ts';
import { defineBatchedWrite } from '#events/batched-writes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { ReportSender } from './access.ts';
import { addEvents, type EventToAdd } from './add-events.ts';
import { addSessions } from './add-sessions.ts';
import { findStoredEvents } from './errors-store.ts';
import type { ErrorReport, ReportedEvent } from './report.ts';

// Rate limit of stored events per project and minute (contract/monitoring.md §11 "Rate").

/** Length of a window, in milliseconds. A window starts with the first event that is counted in it. */
const WINDOW_MS = 60_000;

interface RateWindow {
  readonly project_id: number;
  readonly started_at: string;
  /** Number of events counted in this window. */
  readonly counted: number;
}

/** Counts events of some projects within one transaction. */
interface EventRateLimiter {
  /**
   * Counts events and returns null. If they exceed the limit, counts none of them and returns the seconds until the next
   * window.
   */
  countEvents(projectId: number, events: number, limits: { readonly eventsPerMinute: number | null }): number | null;
  /** Saves the counters. */
  save(): Promise<void>;
}

/** Creates a rate limiter with the stored windows of these projects. Windows that have ended count as empty. */
async function createEventRateLimiter(tx: Transaction, projectIds: readonly number[]): Promise<EventRateLimiter> {
  const rows = await findWindows(tx, [...new Set(projectIds)]);
  const windows = new Map(rows.map((window) => [window.project_id, window]));
  const changedWindows = new Map<number, RateWindow>();
  const now = Date.parse(tx.now);
  // A window that starts too far in the future, after the clock was set back, counts as ended.
  const getRemainingSeconds = ({ started_at }: RateWindow) => {
    const remainingSeconds = Math.ceil((Date.parse(started_at) + WINDOW_MS - now) / 1000);
    return remainingSeconds > 0 && remainingSeconds <= WINDOW_MS / 1000 ? remainingSeconds : 0;
  };
  return {
    countEvents(projectId, events, { eventsPerMinute }) {
      if (events === 0 || eventsPerMinute === null) return null;
      const currentWindow = windows.get(projectId);
      const emptyWindow = { project_id: projectId, started_at: tx.now, counted: 0 };
      const window =
        currentWindow !== undefined && getRemainingSeconds(currentWindow) > 0 ? currentWindow : emptyWindow;
      const eventCount = window.counted + events;
      if (eventCount > eventsPerMinute) return getRemainingSeconds(window);
      const updatedWindow = { ...window, counted: eventCount };
      windows.set(projectId, updatedWindow);
      changedWindows.set(projectId, updatedWindow);
      return null;
    },
    async save() {
      await saveWindows(tx, [...changedWindows.values()]);
    },
  };
}

// index: ingestion_windows primary key
const findWindows = prepareForIds((db, ids) =>
  db.selectFrom('ingestion_windows').select(['project_id', 'started_at', 'counted']).where('project_id', 'in', ids),
);

const saveWindows = prepareForRows(['project_id', 'started_at', 'counted'], (tx, rows: RowParameters<RateWindow>) =>
  tx
    .insertInto('ingestion_windows')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('project_id').doUpdateSet((eb) => ({
        started_at: eb.ref('excluded.started_at'),
        counted: eb.ref('excluded.counted'),
      })),
    ),
);

/** A part of a report that one transaction stores: the whole report, unless it is very large. */
interface ReportBatch extends Omit<ErrorReport, 'id'> {
  readonly sender: ReportSender;
  /**
   * Events counted for the rate limit: all events of the report in its first batch, none in the others. A report over the
   * limit is therefore rejected as a whole.
   */
  readonly rateLimitedEvents: readonly ReportedEvent[];
}

type StoreFailure = Failure<'rejected' | 'rateLimited'>;

/** Estimated overhead of an event or session, in bytes in addition to its JSON. */
const EVENT_OVERHEAD_BYTES = 8_192;
const SESSION_OVERHEAD_BYTES = 2_048;
/** Maximum weight of one transaction, in bytes. On SQLite, a transaction blocks the event loop until it ends. */
const MAX_BATCH_BYTES = 2 * 1024 * 1024;

const getEventWeight = ({ payload }: ReportedEvent) => EVENT_OVERHEAD_BYTES + payload.length;

/** Stores a batch, together with the batches of concurrent reports in one transaction. */
const storeBatch = defineBatchedWrite<ReportBatch, null>({
  execute: storeBatches,
  lockKeys: (batches) => [...new Set(batches.map(({ sender }) => buildErrorReportsLockKey(sender.projectId)))].sort(),
  weightOf: ({ events, sessionUpdates, sessionCounts }) =>
    events.reduce((sum, event) => sum + getEventWeight(event), 0) +
    (sessionUpdates.length + sessionCounts.length) * SESSION_OVERHEAD_BYTES,
  maxWeight: MAX_BATCH_BYTES,
  queue: { maxWaiting: 1_000, retryAfterSeconds: 5 },
});

/** Stores a report. It is durable when the promise resolves. A rejected report stores nothing. */
export async function storeReport(
  services: Pick<Services, 'runUnitOfWork'>,
  sender: ReportSender,
  report: ErrorReport,
  client: RequestClient,
): Promise<StoreFailure | null> {
  for (const [index, batch] of splitReport(sender, report).entries()) {
    // After the first batch, the others are stored even if the queue is full or the client disconnects.
    const failure = await storeBatch(services, batch, index === 0 ? { client } : { exemptFromLimit: true });
    if (isFailure(failure)) return failure as StoreFailure;
  }
  return null;
}

/** Splits a report into batches of at most `MAX_BATCH_BYTES`. The first batch contains all sessions. */
function splitReport(
  sender: ReportSender,
  { events, sessionUpdates, sessionCounts }: ErrorReport,
): readonly ReportBatch[] {
  if (events.length + sessionUpdates.length + sessionCounts.length === 0) return [];
  const eventBatches: ReportedEvent[][] = [[]];
  let weight = 0;
  for (const event of events) {
    weight += getEventWeight(event);
    if (weight > MAX_BATCH_BYTES) {
      eventBatches.push([]);
      weight = getEventWeight(event);
    }
    eventBatches.at(-1)?.push(event);
  }
  return eventBatches.map(
    (eventsOfBatch, index): ReportBatch => ({
      sender,
      events: eventsOfBatch,
      rateLimitedEvents: index === 0 ? events : [],
      sessionUpdates: index === 0 ? sessionUpdates : [],
      sessionCounts: index === 0 ? sessionCounts : [],
    }),
  );
}

const getEventKey = ({ projectId }: ReportSender, { eventId }: ReportedEvent) => `${projectId} ${eventId}`;

/** Stores batches in one transaction. Returns null or the failure of each batch, in order. */
async function storeBatches(
  uow: UnitOfWork,
  batches: readonly ReportBatch[],
): Promise<readonly (null | StoreFailure)[]> {
  const getLimits = await loadLimits(uow, batches);
  const storedEventKeys = await findStoredEventKeys(uow, batches);
  const rateLimiter = await createEventRateLimiter(
    uow,
    batches.map(({ sender }) => sender.projectId),
  );
  const results: (null | StoreFailure)[] = [];
  const acceptedBatches: (ReportBatch & ReportSender)[] = [];
  const newEvents: EventToAdd[] = [];
  for (const batch of batches) {
    const { sender } = batch;
    const limits = getLimits(sender);
    const isNew = (event: ReportedEvent) => !storedEventKeys.has(getEventKey(sender, event));
    const retryAfterSeconds =
      limits && rateLimiter.countEvents(sender.projectId, batch.rateLimitedEvents.filter(isNew).length, limits);
    if (limits === null) results.push(fail('rejected'));
    else if (retryAfterSeconds !== null) results.push(fail('rateLimited', { seconds: retryAfterSeconds }));
    else {
      results.push(null);
      acceptedBatches.push({ ...batch, ...sender });
      for (const event of batch.events.filter(isNew)) {
        storedEventKeys.add(getEventKey(sender, event));
        newEvents.push({ ...event, projectId: sender.projectId });
      }
    }
  }
  await rateLimiter.save();
  await addEvents(uow, newEvents);
  await addSessions(uow, acceptedBatches);
  return results;
}

/**
 * Returns a function that gives the limits of a sender, or null if the sender is no longer accepted. Loads the limits again,
 * because they may have changed while the body arrived, which can take minutes.
 */
async function loadLimits(uow: UnitOfWork, batches: readonly ReportBatch[]) {
  const limitsBySender = new Map<string, Awaited<ReturnType<typeof findIngestionLimits>>>();
  for (const { sender } of batches) {
    const senderKey = `${sender.projectId} ${sender.key}`;
    if (!limitsBySender.has(senderKey))
      limitsBySender.set(senderKey, await findIngestionLimits(uow, { ...sender, tier: uow.tier }));
  }
  return ({ projectId, key }: ReportSender) => limitsBySender.get(`${projectId} ${key}`) ?? null;
}

async function findStoredEventKeys(uow: UnitOfWork, batches: readonly ReportBatch[]): Promise<Set<string>> {
  const eventKeys = new Map<string, { project_id: number; event_id: string }>();
  for (const { sender, events, rateLimitedEvents } of batches) {
    for (const event of [...events, ...rateLimitedEvents]) {
      eventKeys.set(getEventKey(sender, event), { project_id: sender.projectId, event_id: event.eventId });
    }
  }
  const storedEvents = await findStoredEvents(uow, [...eventKeys.values()]);
  return new Set(storedEvents.map(({ project_id, event_id }) => `${project_id} ${event_id}`));
}
