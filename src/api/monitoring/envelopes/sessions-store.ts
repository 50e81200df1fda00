import type { Columns } from '#database/database.ts';
import { buildParameterTable, prepareForRows, type RowParameters } from '#database/prepare.ts';
import type { SessionBucket } from '#database/schema.ts';

/** SQL statements that store sessions, each for any number of rows. The table `given` has the parameters. */

type SessionKey = Columns<'session_states', 'project_id' | 'sid'>;

/** The bucket (outcome) in which a session is counted. */
export interface SessionState extends SessionKey, Columns<'session_states', 'release' | 'bucket' | 'received_at'> {
  /** Empty if the report named no environment. */
  readonly environment: string;
  /** Sequence number of the last applied update, or null if the SDK sends none. */
  readonly seq: number | null;
}

const SESSION_STATE_COLUMNS = ['project_id', 'sid', 'release', 'environment', 'bucket', 'seq', 'received_at'] as const;

/** Returns the states of those sessions that are already counted. index: session_states primary key */
export const findSessionStates = prepareForRows(['project_id', 'sid'], (tx, rows: RowParameters<SessionKey>) =>
  tx
    .selectFrom(buildParameterTable(rows, { project_id: 'bigint', sid: 'text' }))
    // A cross join fixes the join order on SQLite.
    .crossJoin('session_states')
    .select(SESSION_STATE_COLUMNS.map((column) => `session_states.${column}` as const))
    .whereRef('session_states.project_id', '=', 'given.project_id')
    .whereRef('session_states.sid', '=', 'given.sid'),
);

/** Upserts the states of sessions. index: session_states primary key */
export const saveSessionStates = prepareForRows(SESSION_STATE_COLUMNS, (tx, rows: RowParameters<SessionState>) =>
  tx
    .insertInto('session_states')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'sid']).doUpdateSet((eb) => ({
        bucket: eb.ref('excluded.bucket'),
        seq: eb.ref('excluded.seq'),
        received_at: eb.ref('excluded.received_at'),
      })),
    ),
);

/** Changes (positive or negative) to the session counts of a release and environment. */
export interface BucketChange
  extends Readonly<Record<SessionBucket, number>>,
    Columns<'session_buckets', 'project_id' | 'release' | 'environment' | 'total' | 'last_seen'> {}

const COUNT_COLUMNS = ['total', 'exited', 'errored', 'crashed', 'abnormal'] as const;

/** Adds changes to the session counts. index: session_buckets primary key */
export const addToBuckets = prepareForRows(
  ['project_id', 'release', 'environment', ...COUNT_COLUMNS, 'last_seen'],
  (tx, rows: RowParameters<BucketChange>) =>
    tx
      .insertInto('session_buckets')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['project_id', 'release', 'environment']).doUpdateSet((eb) => ({
          ...Object.fromEntries(
            COUNT_COLUMNS.map((name) => [name, eb(`session_buckets.${name}`, '+', eb.ref(`excluded.${name}`))]),
          ),
          last_seen: eb.ref('excluded.last_seen'),
        })),
      ),
);
