import type { Columns, Transaction } from '#database/database.ts';
import { buildParameterTable, prepareForRows, type RowParameters } from '#database/prepare.ts';
import type { SessionBucket } from '#database/schema.ts';
import { SESSION_BUCKETS, type SessionCounts, type SessionUpdate } from './session-reader.ts';

/** The sessions in one report of a project. */
interface SessionReport {
  readonly projectId: number;
  readonly sessionUpdates: readonly SessionUpdate[];
  readonly sessionCounts: readonly SessionCounts[];
}

/** Returns the count changes of a release and environment, which the caller modifies. */
type GetBucketChange = (projectId: number, release: string, environment: string) => MutableBucketChange;

type MutableBucketChange = { -readonly [Name in keyof BucketChange]: BucketChange[Name] };

const ZERO_COUNTS = { total: 0, exited: 0, errored: 0, crashed: 0, abnormal: 0 };

/** Counts the sessions of reports in the order given. An update of a counted session moves it to another bucket. */
export async function addSessions(tx: Transaction, reports: readonly SessionReport[]): Promise<void> {
  const bucketChangesByKey = new Map<string, MutableBucketChange>();
  const getBucketChange: GetBucketChange = (project_id, release, environment) => {
    const key = JSON.stringify([project_id, release, environment]);
    const bucketChange = bucketChangesByKey.get(key) ?? {
      ...ZERO_COUNTS,
      project_id,
      release,
      environment,
      last_seen: tx.now,
    };
    bucketChangesByKey.set(key, bucketChange);
    return bucketChange;
  };
  const updates = reports.flatMap(({ projectId, sessionUpdates }) =>
    sessionUpdates.map((update) => ({ ...update, projectId })),
  );
  await addSessionUpdates(tx, updates, getBucketChange);
  for (const { projectId, sessionCounts } of reports) {
    for (const { release, environment, counts } of sessionCounts) {
      const bucketChange = getBucketChange(projectId, release, environment ?? '');
      for (const outcome of SESSION_BUCKETS) {
        bucketChange[outcome] += counts[outcome];
        bucketChange.total += counts[outcome];
      }
    }
  }
  // Sorted, so that concurrent writers update the same rows in the same order.
  await addToBuckets(
    tx,
    [...bucketChangesByKey.keys()].sort().map((key) => bucketChangesByKey.get(key) as MutableBucketChange),
  );
}

/** Applies updates in order: moves known sessions to their new buckets and counts new sessions. */
async function addSessionUpdates(
  tx: Transaction,
  updates: readonly (SessionUpdate & { readonly projectId: number })[],
  getBucketChange: GetBucketChange,
): Promise<void> {
  const getSessionKey = (projectId: number, sid: string) => `${projectId} ${sid}`;
  const sessionKeys = new Map(
    updates.map(({ projectId, sid }) => [getSessionKey(projectId, sid), { project_id: projectId, sid }]),
  );
  const rows = await findSessionStates(tx, [...sessionKeys.values()]);
  const statesByKey = new Map<string, SessionState>(rows.map((row) => [getSessionKey(row.project_id, row.sid), row]));
  const changedStatesByKey = new Map<string, SessionState>();
  for (const { projectId, sid, bucket, seq, release, environment } of updates) {
    const key = getSessionKey(projectId, sid);
    const previous = statesByKey.get(key);
    if (isOlder(seq, previous?.seq)) continue;
    const session = previous ?? { project_id: projectId, sid, release, environment: environment ?? '' };
    const bucketChange = getBucketChange(projectId, session.release, session.environment);
    if (previous === undefined) bucketChange.total++;
    else bucketChange[previous.bucket]--;
    bucketChange[bucket]++;
    const state = { ...session, bucket, seq: seq ?? previous?.seq ?? null, received_at: tx.now };
    statesByKey.set(key, state);
    changedStatesByKey.set(key, state);
  }
  await saveSessionStates(
    tx,
    [...changedStatesByKey.keys()].sort().map((key) => changedStatesByKey.get(key) as SessionState),
  );
}

/** Returns whether an update precedes the stored state. Updates without `seq` apply in the order of arrival. */
function isOlder(seq: number | null, previousSeq: number | null | undefined): boolean {
  return seq !== null && previousSeq != null && seq < previousSeq;
}

// SQL statements that store sessions, each for any number of rows. The table `given` has the parameters.

type SessionKey = Columns<'session_states', 'project_id' | 'sid'>;

/** The bucket (outcome) in which a session is counted. */
interface SessionState extends SessionKey, Columns<'session_states', 'release' | 'bucket' | 'received_at'> {
  /** Empty if the report named no environment. */
  readonly environment: string;
  /** Sequence number of the last applied update, or null if the SDK sends none. */
  readonly seq: number | null;
}

const SESSION_STATE_COLUMNS = ['project_id', 'sid', 'release', 'environment', 'bucket', 'seq', 'received_at'] as const;

/** Returns the states of those sessions that are already counted. index: session_states primary key */
const findSessionStates = prepareForRows(['project_id', 'sid'], (tx, rows: RowParameters<SessionKey>) =>
  tx
    .selectFrom(buildParameterTable(rows, { project_id: 'bigint', sid: 'text' }))
    // A cross join fixes the join order on SQLite.
    .crossJoin('session_states')
    .select(SESSION_STATE_COLUMNS.map((column) => `session_states.${column}` as const))
    .whereRef('session_states.project_id', '=', 'given.project_id')
    .whereRef('session_states.sid', '=', 'given.sid'),
);

/** Upserts the states of sessions. index: session_states primary key */
const saveSessionStates = prepareForRows(SESSION_STATE_COLUMNS, (tx, rows: RowParameters<SessionState>) =>
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
interface BucketChange
  extends Readonly<Record<SessionBucket, number>>,
    Columns<'session_buckets', 'project_id' | 'release' | 'environment' | 'total' | 'last_seen'> {}

const COUNT_COLUMNS = ['total', 'exited', 'errored', 'crashed', 'abnormal'] as const;

/** Adds changes to the session counts. index: session_buckets primary key */
const addToBuckets = prepareForRows(
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
