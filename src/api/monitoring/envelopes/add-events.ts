import type { Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import {
  addToHourlyCounts,
  addToUserCounts,
  insertEvents,
  insertNewEnvironments,
  insertNewUsers,
  type UpsertErrorInput,
  upsertErrors,
} from './errors-store.ts';
import { getUserKey } from './event-reader.ts';
import type { ReportedEvent } from './report.ts';

/** An event that its project has not stored yet. */
export interface EventToAdd extends ReportedEvent {
  readonly projectId: number;
}

/**
 * Adds events to their errors and updates the aggregates of the errors. The number of statements does not depend on the
 * number of events.
 */
export async function addEvents(tx: Transaction, events: readonly EventToAdd[]): Promise<void> {
  if (events.length === 0) return;
  const eventsByError = Map.groupBy(events, getErrorKey);
  // Sorted, so that concurrent writers update the same rows in the same order.
  const rows = [...eventsByError.keys()]
    .sort()
    .map((key) => combineEvents(eventsByError.get(key) as EventToAdd[], tx.now));
  const errors = await upsertErrors(tx, rows);
  const errorIdsByKey = new Map(errors.map(({ id, project_id, fingerprint }) => [`${project_id} ${fingerprint}`, id]));
  const eventsWithErrorIds = events.map((event) => ({
    event,
    error_id: errorIdsByKey.get(getErrorKey(event)) as number,
  }));
  await insertEvents(
    tx,
    eventsWithErrorIds.map(({ event, error_id }) => toEventRow(event, error_id, tx.now)),
  );
  await addAffectedUsers(tx, eventsWithErrorIds);
  await addErrorEnvironments(tx, eventsWithErrorIds);
  await addHourlyCounts(tx, eventsWithErrorIds);
}

interface EventWithErrorId {
  readonly event: EventToAdd;
  readonly error_id: number;
}

const getErrorKey = ({ projectId, groupHash }: EventToAdd) => `${projectId} ${groupHash}`;

/** Combines events of the same error into the row to upsert; most values are those of the newest event. */
function combineEvents(events: readonly EventToAdd[], now: string): UpsertErrorInput {
  const timestamps = events.map(({ occurredAt }) => occurredAt).sort();
  const last_seen = timestamps.at(-1) as string;
  const newestEvent = events.findLast(({ occurredAt }) => occurredAt === last_seen) as EventToAdd;
  const { projectId, groupHash, type, name, message, culprit, platform, level } = newestEvent;
  return {
    project_id: projectId,
    fingerprint: groupHash,
    type,
    name,
    name_key: foldCase(name),
    message,
    message_key: message === null ? null : foldCase(message),
    culprit,
    culprit_key: culprit === null ? null : foldCase(culprit),
    platform,
    level,
    status: 'unresolved',
    event_count: events.length,
    user_count: 0,
    first_seen: timestamps[0] as string,
    last_seen,
    last_received_at: now,
  };
}

function toEventRow(event: EventToAdd, error_id: number, now: string) {
  const { projectId, eventId, type, level, message, environment, release, logger, platform, user, tags } = event;
  return {
    project_id: projectId,
    event_id: eventId,
    error_id,
    type,
    level,
    message,
    environment,
    release,
    logger,
    platform,
    affected_user: user && JSON.stringify(user),
    tags: JSON.stringify(tags),
    occurred_at: event.occurredAt,
    received_at: now,
    payload: event.payload.toString('utf8'),
  };
}

async function addAffectedUsers(tx: Transaction, events: readonly EventWithErrorId[]): Promise<void> {
  const users = events.flatMap(({ event, error_id }) => {
    const user_key = getUserKey(event.user);
    return user_key === null ? [] : { error_id, user_key };
  });
  const newUsers = await insertNewUsers(
    tx,
    sortDistinct(users, ({ error_id, user_key }) => `${error_id} ${user_key}`),
  );
  const newUsersByError = Map.groupBy(newUsers, ({ error_id }) => error_id);
  await addToUserCounts(
    tx,
    [...newUsersByError].map(([error_id, { length }]) => ({ error_id, users: length })),
  );
}

async function addErrorEnvironments(tx: Transaction, events: readonly EventWithErrorId[]): Promise<void> {
  const environments = events.flatMap(({ event: { environment }, error_id }) =>
    environment === null ? [] : { error_id, environment },
  );
  await insertNewEnvironments(
    tx,
    sortDistinct(environments, ({ error_id, environment }) => `${error_id} ${environment}`),
  );
}

const HOUR_SECONDS = 3600;
/** Length of the period that the `frequency` of an error covers, in seconds. */
const FREQUENCY_SECONDS = 24 * HOUR_SECONDS;

/** Counts the events of the last 24 hours by error and hour. */
async function addHourlyCounts(tx: Transaction, events: readonly EventWithErrorId[]): Promise<void> {
  const oldestSecond = Date.parse(tx.now) / 1000 - FREQUENCY_SECONDS;
  const eventHours = events.flatMap(({ event, error_id }) => {
    const second = Date.parse(event.occurredAt) / 1000;
    return second < oldestSecond ? [] : { error_id, hour: Math.floor(second / HOUR_SECONDS) * HOUR_SECONDS };
  });
  const groupsByErrorAndHour = Map.groupBy(eventHours, ({ error_id, hour }) => `${error_id} ${hour}`);
  await addToHourlyCounts(
    tx,
    [...groupsByErrorAndHour.values()].map((group) => ({
      ...(group[0] as (typeof eventHours)[number]),
      event_count: group.length,
    })),
  );
}

/** Returns one row per key, sorted by key, so that concurrent writers update the same rows in the same order. */
function sortDistinct<Row>(rows: readonly Row[], getKey: (row: Row) => string): Row[] {
  const rowsByKey = new Map(rows.map((row) => [getKey(row), row]));
  return [...rowsByKey.keys()].sort().map((key) => rowsByKey.get(key) as Row);
}
