import { prepareForRows, type RowParameters } from '#database/prepare.ts';
import { rowParametersTable } from '#database/row-list.ts';
import type { SessionBucket } from '#database/tables/error-tracking.ts';

/** The SQL of what sessions leave: each statement for as many of them as come together. */

interface SessionName {
  readonly project_id: number;
  readonly sid: string;
}

/** Where a session is counted. */
export interface SessionState extends SessionName {
  readonly release: string;
  /** Empty: none was said. */
  readonly environment: string;
  readonly bucket: SessionBucket;
  readonly seq: number | null;
  readonly received_at: string;
}

const STATE = ['project_id', 'sid', 'release', 'environment', 'bucket', 'seq', 'received_at'] as const;

/** Where these sessions are counted, those of them that are. index: session_states primary key */
export const findStates = prepareForRows(['project_id', 'sid'], (tx, rows: RowParameters<SessionName>) =>
  tx
    .selectFrom(rowParametersTable(rows, { project_id: 'bigint', sid: 'text' }))
    // In this order, whatever the planner thinks of the two.
    .crossJoin('session_states')
    .select(STATE.map((column) => `session_states.${column}` as const))
    .whereRef('session_states.project_id', '=', 'given.project_id')
    .whereRef('session_states.sid', '=', 'given.sid'),
);

// index: session_states primary key
export const writeStates = prepareForRows(STATE, (tx, rows: RowParameters<SessionState>) =>
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

/** How many more, or fewer, sessions there are of a release in an environment. */
export interface BucketChange extends Readonly<Record<SessionBucket, number>> {
  readonly project_id: number;
  readonly release: string;
  readonly environment: string;
  readonly total: number;
  readonly last_seen: string;
}

const NUMBERS = ['total', 'exited', 'errored', 'crashed', 'abnormal'] as const;

// index: session_buckets primary key
export const addToBuckets = prepareForRows(
  ['project_id', 'release', 'environment', ...NUMBERS, 'last_seen'],
  (tx, rows: RowParameters<BucketChange>) =>
    tx
      .insertInto('session_buckets')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['project_id', 'release', 'environment']).doUpdateSet((eb) => ({
          ...Object.fromEntries(
            NUMBERS.map((name) => [name, eb(`session_buckets.${name}`, '+', eb.ref(`excluded.${name}`))]),
          ),
          last_seen: eb.ref('excluded.last_seen'),
        })),
      ),
);
