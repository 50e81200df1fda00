import type { Columns } from '#database/database.ts';
import { buildParameterTable, prepareForRows, type RowParameters } from '#database/prepare.ts';

// SQL statements that store error events, each for any number of rows. The table `given` has the parameters.

/** The unique key of an event. */
type ErrorEventKey = Columns<'error_events', 'project_id' | 'event_id'>;

/** Returns the keys of the events that are already stored. index: error_events_by_event_id */
export const findStoredEvents = prepareForRows(
  ['project_id', 'event_id'],
  (tx, rows: RowParameters<ErrorEventKey>) =>
    tx
      .selectFrom(buildParameterTable(rows, { project_id: 'bigint', event_id: 'text' }))
      // A cross join fixes the join order on SQLite.
      .crossJoin('error_events')
      .select(['error_events.project_id', 'error_events.event_id'])
      .whereRef('error_events.project_id', '=', 'given.project_id')
      .whereRef('error_events.event_id', '=', 'given.event_id'),
  { pad: true },
);

/** The combined values of reports with the same fingerprint. */
export interface UpsertErrorInput extends Omit<Columns<'errors'>, 'id' | 'status' | 'user_count'> {
  readonly status: 'unresolved';
  /** New affected users are added later, by `addToUserCounts`. */
  readonly user_count: 0;
}

const ERROR_COLUMNS = [
  'project_id',
  'fingerprint',
  'type',
  'name',
  'name_key',
  'message',
  'message_key',
  'culprit',
  'culprit_key',
  'platform',
  'level',
  'status',
  'event_count',
  'user_count',
  'first_seen',
  'last_seen',
  'last_received_at',
] as const satisfies readonly (keyof UpsertErrorInput)[];

/** Columns of an error that are overwritten if the incoming event is not older than the stored ones. */
const NEWEST_EVENT_COLUMNS = ['type', 'name', 'name_key', 'message', 'message_key', 'level'] as const;

/** Upserts errors and returns their ids. A resolved error becomes unresolved. index: errors_by_fingerprint */
export const upsertErrors = prepareForRows(ERROR_COLUMNS, (tx, rows: RowParameters<UpsertErrorInput>) =>
  tx
    .insertInto('errors')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'fingerprint']).doUpdateSet((eb) => {
        const newestValues = NEWEST_EVENT_COLUMNS.map((column) => [
          column,
          eb
            .case()
            .when('excluded.last_seen', '>=', eb.ref('errors.last_seen'))
            .then(eb.ref(`excluded.${column}`))
            .else(eb.ref(`errors.${column}`))
            .end(),
        ]);
        // Picks the earlier (`<`) or the later (`>`) of the stored and the incoming timestamp.
        const pickExtreme = (column: 'first_seen' | 'last_seen', operator: '<' | '>') =>
          eb
            .case()
            .when(`excluded.${column}`, operator, eb.ref(`errors.${column}`))
            .then(eb.ref(`excluded.${column}`))
            .else(eb.ref(`errors.${column}`))
            .end();
        return {
          ...Object.fromEntries(newestValues),
          status: eb
            .case()
            .when('errors.status', '=', 'resolved')
            .then('unresolved')
            .else(eb.ref('errors.status'))
            .end(),
          event_count: eb('errors.event_count', '+', eb.ref('excluded.event_count')),
          first_seen: pickExtreme('first_seen', '<'),
          last_seen: pickExtreme('last_seen', '>'),
          last_received_at: eb.ref('excluded.last_received_at'),
        };
      }),
    )
    .returning(['id', 'project_id', 'fingerprint']),
);

/** The row of an event. */
interface ErrorEventInput extends ErrorEventKey, Omit<Columns<'error_events'>, 'id' | 'project_id' | 'event_id'> {}

const EVENT_COLUMNS = [
  'project_id',
  'event_id',
  'error_id',
  'type',
  'level',
  'message',
  'environment',
  'release',
  'logger',
  'platform',
  'affected_user',
  'tags',
  'occurred_at',
  'received_at',
  'payload',
] as const satisfies readonly (keyof ErrorEventInput)[];

/** Inserts events. Throws a unique violation if an event is stored already. */
export const insertEvents = prepareForRows(EVENT_COLUMNS, (tx, rows: RowParameters<ErrorEventInput>) =>
  tx.insertInto('error_events').values(rows),
);

type NewErrorUser = Columns<'error_users'>;

/** Inserts the affected users of errors, skips stored ones, and returns one row per inserted user. index: error_users primary key */
export const insertNewUsers = prepareForRows(['error_id', 'user_key'], (tx, rows: RowParameters<NewErrorUser>) =>
  tx
    .insertInto('error_users')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning('error_id'),
);

interface UserCountChange {
  readonly error_id: number;
  readonly users: number;
}

/** Adds the numbers of new users to the user counts of errors. index: errors primary key */
export const addToUserCounts = prepareForRows(['error_id', 'users'], (tx, rows: RowParameters<UserCountChange>) =>
  tx
    .updateTable('errors')
    .from(buildParameterTable(rows, { error_id: 'bigint', users: 'bigint' }))
    .set((eb) => ({ user_count: eb('errors.user_count', '+', eb.ref('given.users')) }))
    .whereRef('errors.id', '=', 'given.error_id'),
);

type NewErrorEnvironment = Columns<'error_environments'>;

/** Inserts the environments of errors and skips stored ones. index: error_environments primary key */
export const insertNewEnvironments = prepareForRows(
  ['error_id', 'environment'],
  (tx, rows: RowParameters<NewErrorEnvironment>) =>
    tx
      .insertInto('error_environments')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing()),
);

interface HourlyCountChange {
  readonly error_id: number;
  /** Start of the hour, in Unix seconds. */
  readonly hour: number;
  readonly event_count: number;
}

/** Adds event counts to the hourly counts of errors. index: error_hours primary key */
export const addToHourlyCounts = prepareForRows(
  ['error_id', 'hour', 'event_count'],
  (tx, rows: RowParameters<HourlyCountChange>) =>
    tx
      .insertInto('error_hours')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(['error_id', 'hour'])
          .doUpdateSet((eb) => ({ event_count: eb('error_hours.event_count', '+', eb.ref('excluded.event_count')) })),
      ),
);
