import { prepareForRows, type RowParameters } from '#database/prepare.ts';
import { rowParametersTable } from '#database/row-list.ts';
import type { ErrorLevel, ErrorType } from '#database/tables/error-tracking.ts';

/** The SQL of what reports leave: each statement for as many of them as come together. */

/** Which event of which project. */
export interface ErrorEventName {
  readonly project_id: number;
  readonly event_id: string;
}

/** Those of these events that are there already. index: error_events_by_event_id */
export const findEvents = prepareForRows(
  ['project_id', 'event_id'],
  (tx, rows: RowParameters<ErrorEventName>) =>
    tx
      .selectFrom(rowParametersTable(rows, { project_id: 'bigint', event_id: 'text' }))
      // In this order, whatever the planner thinks of the two.
      .crossJoin('error_events')
      .select(['error_events.project_id', 'error_events.event_id'])
      .whereRef('error_events.project_id', '=', 'given.project_id')
      .whereRef('error_events.event_id', '=', 'given.event_id'),
  { filled: true },
);

/** What some reports that are alike say together. */
export interface NewReports {
  readonly project_id: number;
  readonly fingerprint: string;
  readonly type: ErrorType;
  readonly name: string;
  readonly name_key: string;
  readonly message: string | null;
  readonly message_key: string | null;
  readonly culprit: string | null;
  readonly culprit_key: string | null;
  readonly platform: string;
  readonly level: ErrorLevel;
  readonly status: 'unresolved';
  readonly event_count: number;
  readonly user_count: 0;
  readonly first_seen: string;
  readonly last_seen: string;
  readonly last_received_at: string;
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
] as const satisfies readonly (keyof NewReports)[];

/** What an error shows of its newest report. */
const OF_THE_NEWEST = ['type', 'name', 'name_key', 'message', 'message_key', 'level'] as const;

/** Makes errors, or adds to those that are there: a resolved one has come back. index: errors_by_fingerprint */
export const addToErrors = prepareForRows(ERROR_COLUMNS, (tx, rows: RowParameters<NewReports>) =>
  tx
    .insertInto('errors')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'fingerprint']).doUpdateSet((eb) => {
        const newest = OF_THE_NEWEST.map((column) => [
          column,
          eb
            .case()
            .when('excluded.last_seen', '>=', eb.ref('errors.last_seen'))
            .then(eb.ref(`excluded.${column}`))
            .else(eb.ref(`errors.${column}`))
            .end(),
        ]);
        const outermost = (column: 'first_seen' | 'last_seen', sign: '<' | '>') =>
          eb
            .case()
            .when(`excluded.${column}`, sign, eb.ref(`errors.${column}`))
            .then(eb.ref(`excluded.${column}`))
            .else(eb.ref(`errors.${column}`))
            .end();
        return {
          ...Object.fromEntries(newest),
          status: eb
            .case()
            .when('errors.status', '=', 'resolved')
            .then('unresolved')
            .else(eb.ref('errors.status'))
            .end(),
          event_count: eb('errors.event_count', '+', eb.ref('excluded.event_count')),
          first_seen: outermost('first_seen', '<'),
          last_seen: outermost('last_seen', '>'),
          last_received_at: eb.ref('excluded.last_received_at'),
        };
      }),
    )
    .returning(['id', 'project_id', 'fingerprint']),
);

/** A report as it is kept. */
export interface ErrorEventInput extends ErrorEventName {
  readonly error_id: number;
  readonly type: ErrorType;
  readonly level: ErrorLevel;
  readonly message: string | null;
  readonly environment: string | null;
  readonly release: string | null;
  readonly logger: string | null;
  readonly platform: string;
  readonly affected_user: string | null;
  readonly tags: string;
  readonly occurred_at: string;
  readonly received_at: string;
  readonly payload: string;
}

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

export const addEvents = prepareForRows(EVENT_COLUMNS, (tx, rows: RowParameters<ErrorEventInput>) =>
  tx.insertInto('error_events').values(rows),
);

interface ErrorUser {
  readonly error_id: number;
  readonly user_key: string;
}

/** Users whom an error happens to for the first time, of these. index: error_users primary key */
export const addUsers = prepareForRows(['error_id', 'user_key'], (tx, rows: RowParameters<ErrorUser>) =>
  tx
    .insertInto('error_users')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning('error_id'),
);

interface Counted {
  readonly error_id: number;
  readonly users: number;
}

// index: errors primary key
export const countUsers = prepareForRows(['error_id', 'users'], (tx, rows: RowParameters<Counted>) =>
  tx
    .updateTable('errors')
    .from(rowParametersTable(rows, { error_id: 'bigint', users: 'bigint' }))
    .set((eb) => ({ user_count: eb('errors.user_count', '+', eb.ref('given.users')) }))
    .whereRef('errors.id', '=', 'given.error_id'),
);

interface ErrorEnvironment {
  readonly error_id: number;
  readonly environment: string;
}

// index: error_environments primary key
export const addEnvironments = prepareForRows(
  ['error_id', 'environment'],
  (tx, rows: RowParameters<ErrorEnvironment>) =>
    tx
      .insertInto('error_environments')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing()),
);

interface ErrorHour {
  readonly error_id: number;
  readonly hour: number;
  readonly event_count: number;
}

// index: error_hours primary key
export const addHours = prepareForRows(['error_id', 'hour', 'event_count'], (tx, rows: RowParameters<ErrorHour>) =>
  tx
    .insertInto('error_hours')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['error_id', 'hour'])
        .doUpdateSet((eb) => ({ event_count: eb('error_hours.event_count', '+', eb.ref('excluded.event_count')) })),
    ),
);
