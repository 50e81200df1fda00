/**
 * What the database does: `read` is a statement outside of transactions, `list` a long one, `scan` one that reads long texts.
 * `transaction` is the time from begin to end, `wait` the time before it.
 */
const WORK_KINDS = ['read', 'list', 'scan', 'transaction', 'wait'] as const;
type DatabaseWork = (typeof WORK_KINDS)[number];

interface WorkTotal {
  count: number;
  seconds: number;
}

/** Counts the work of one database, since the process started. Metrics read it. */
export interface DatabaseActivity {
  readonly totals: Readonly<Record<DatabaseWork, Readonly<WorkTotal>>>;
  /** Number of transactions that wait for a lock or a connection. */
  waitingTransactions: number;
  /** Number of transactions between begin and end. */
  openTransactions: number;
  /** Runs the work and adds its duration. A result that is not a promise is returned as it is. */
  measure<Result>(work: DatabaseWork, run: () => Result): Result;
  /** Adds the duration of work that started at this `performance.now()`. */
  record(work: DatabaseWork, startedAt: number): void;
}

/** Creates counters that are zero. */
export function createDatabaseActivity(): DatabaseActivity {
  const totals = Object.fromEntries(WORK_KINDS.map((work) => [work, { count: 0, seconds: 0 }])) as Record<
    DatabaseWork,
    WorkTotal
  >;
  const record = (work: DatabaseWork, startedAt: number) => {
    const total = totals[work];
    total.count++;
    total.seconds += (performance.now() - startedAt) / 1000;
  };
  return {
    totals,
    waitingTransactions: 0,
    openTransactions: 0,
    record,
    measure(work, run) {
      const startedAt = performance.now();
      const recordEnd = () => record(work, startedAt);
      try {
        const result = run();
        if (result instanceof Promise) result.then(recordEnd, recordEnd);
        else recordEnd();
        return result;
      } catch (error) {
        recordEnd();
        throw error;
      }
    },
  };
}
