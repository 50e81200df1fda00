import type { Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import {
  addEnvironments,
  addHours,
  addEvents as addRows,
  addToErrors,
  addUsers,
  countUsers,
  type NewReports,
} from './errors-store.ts';
import { userKey } from './event-reader.ts';
import type { ReportedEvent } from './report.ts';

/** An event that is new to its project. */
export interface EventToAdd extends ReportedEvent {
  readonly projectId: number;
}

/** Adds events to their errors, and what errors know of all their events; as many statements for many as for one. */
export async function addEvents(tx: Transaction, events: readonly EventToAdd[]): Promise<void> {
  if (events.length === 0) return;
  const groups = Map.groupBy(events, nameOfGroup);
  // In one order, whoever else adds to the same ones.
  const rows = [...groups.keys()].sort().map((name) => together(groups.get(name) as EventToAdd[], tx.now));
  const errors = await addToErrors(tx, rows);
  const ids = new Map(errors.map(({ id, project_id, fingerprint }) => [`${project_id} ${fingerprint}`, id]));
  const found = events.map((event) => ({ event, error_id: ids.get(nameOfGroup(event)) as number }));
  await addRows(
    tx,
    found.map(({ event, error_id }) => rowOf(event, error_id, tx.now)),
  );
  await addWhom(tx, found);
  await addWhere(tx, found);
  await addWhen(tx, found);
}

interface Found {
  readonly event: EventToAdd;
  readonly error_id: number;
}

const nameOfGroup = ({ projectId, group }: EventToAdd) => `${projectId} ${group}`;

function together(events: readonly EventToAdd[], now: string): NewReports {
  const moments = events.map(({ occurredAt }) => occurredAt).sort();
  const last_seen = moments.at(-1) as string;
  const newest = events.findLast(({ occurredAt }) => occurredAt === last_seen) as EventToAdd;
  const { projectId, group, type, name, message, culprit, platform, level } = newest;
  return {
    project_id: projectId,
    fingerprint: group,
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
    first_seen: moments[0] as string,
    last_seen,
    last_received_at: now,
  };
}

function rowOf(event: EventToAdd, error_id: number, now: string) {
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

async function addWhom(tx: Transaction, found: readonly Found[]): Promise<void> {
  const users = found.flatMap(({ event, error_id }) => {
    const user_key = userKey(event.user);
    return user_key === null ? [] : { error_id, user_key };
  });
  const added = await addUsers(
    tx,
    distinct(users, ({ error_id, user_key }) => `${error_id} ${user_key}`),
  );
  const byError = Map.groupBy(added, ({ error_id }) => error_id);
  await countUsers(
    tx,
    [...byError].map(([error_id, { length }]) => ({ error_id, users: length })),
  );
}

async function addWhere(tx: Transaction, found: readonly Found[]): Promise<void> {
  const environments = found.flatMap(({ event: { environment }, error_id }) =>
    environment === null ? [] : { error_id, environment },
  );
  await addEnvironments(
    tx,
    distinct(environments, ({ error_id, environment }) => `${error_id} ${environment}`),
  );
}

const HOUR = 3600;
/** For so many seconds it is told how often an error has happened. */
const TOLD = 24 * HOUR;

async function addWhen(tx: Transaction, found: readonly Found[]): Promise<void> {
  const oldest = Date.parse(tx.now) / 1000 - TOLD;
  const hours = found.flatMap(({ event, error_id }) => {
    const second = Date.parse(event.occurredAt) / 1000;
    return second < oldest ? [] : { error_id, hour: Math.floor(second / HOUR) * HOUR };
  });
  const counted = Map.groupBy(hours, ({ error_id, hour }) => `${error_id} ${hour}`);
  await addHours(
    tx,
    [...counted.values()].map((some) => ({ ...(some[0] as (typeof hours)[number]), event_count: some.length })),
  );
}

/** The first of those that have the same name, in the order of names: the same for whoever else writes them. */
function distinct<Row>(rows: readonly Row[], nameOf: (row: Row) => string): Row[] {
  const named = new Map(rows.map((row) => [nameOf(row), row]));
  return [...named.keys()].sort().map((name) => named.get(name) as Row);
}
