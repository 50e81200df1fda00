import type { TableVersions } from './table-versions.ts';

/** A parsed `pg_snapshot`: the transactions that it sees, by number. */
export interface TransactionSnapshot {
  /** The first number that was not assigned yet: this and later transactions are not visible. */
  readonly xmax: number;
  /** Earlier transactions that were in progress and are not visible either. */
  readonly inProgress: ReadonlySet<number>;
}

/** Parses the text of a `pg_snapshot`: `xmin:xmax:` and the transactions in progress, separated by commas. */
export function parseSnapshot(text: string): TransactionSnapshot {
  const [, xmax, inProgress = ''] = text.split(':');
  return { xmax: Number(xmax), inProgress: new Set(inProgress === '' ? [] : inProgress.split(',').map(Number)) };
}

/** Returns whether the snapshot was taken after the other one and sees more. */
export function isLaterSnapshot(snapshot: TransactionSnapshot, other: TransactionSnapshot): boolean {
  return snapshot.xmax === other.xmax ? snapshot.inProgress.size < other.inProgress.size : snapshot.xmax > other.xmax;
}

/** Maximum difference of the transaction numbers of two snapshots that are compared. */
const MAX_SNAPSHOT_DISTANCE = 10_000;

/** Maximum number of tracked transactions that no snapshot has shown yet. */
const MAX_TRACKED = 10_000;

/** Returns the transactions that only the later snapshot sees; null if they are too many. */
export function findNewTransactions(
  laterSnapshot: TransactionSnapshot,
  earlierSnapshot: TransactionSnapshot,
): number[] | null {
  if (laterSnapshot.xmax - earlierSnapshot.xmax > MAX_SNAPSHOT_DISTANCE) return null;
  const candidateNumbers = [...earlierSnapshot.inProgress];
  for (let number = earlierSnapshot.xmax; number < laterSnapshot.xmax; number++) candidateNumbers.push(number);
  return candidateNumbers.filter((number) => !laterSnapshot.inProgress.has(number));
}

/**
 * Tracks the PostgreSQL transactions of this process by number. If a snapshot differs from the previous one only by these
 * transactions, cached results of tables that they have not written stay valid.
 */
export class CommitTracker {
  readonly #versions: TableVersions;
  readonly #tablesByTransaction = new Map<number, ReadonlySet<string>>();
  /** The numbers of transactions whose end is not confirmed yet. */
  readonly #pendingNumbers = new Set<Promise<unknown>>();

  constructor(versions: TableVersions) {
    this.#versions = versions;
  }

  /**
   * Records a transaction that is being ended. `transactionNumber` resolves after its end, to null if it has no number; `tables` are
   * the tables that it may have written, null if unknown.
   */
  async trackTransaction(tables: ReadonlySet<string> | null, transactionNumber: Promise<number | null>): Promise<void> {
    this.#pendingNumbers.add(transactionNumber);
    try {
      const number = await transactionNumber;
      if (number === null || tables === null) return;
      // Forgotten transactions count as those of other processes later, which is correct but clears the cache.
      if (this.#tablesByTransaction.size >= MAX_TRACKED) this.#tablesByTransaction.clear();
      this.#tablesByTransaction.set(number, tables);
    } finally {
      this.#pendingNumbers.delete(transactionNumber);
    }
  }

  /** Returns whether the later snapshot adds only transactions of this process, and updates the versions of their tables. */
  async recordNewTransactions(
    earlierSnapshot: TransactionSnapshot,
    laterSnapshot: TransactionSnapshot,
  ): Promise<boolean> {
    const numbers = findNewTransactions(laterSnapshot, earlierSnapshot);
    if (numbers === null) return false;
    // A snapshot may show a transaction before the response to its COMMIT arrives.
    if (!numbers.every((number) => this.#tablesByTransaction.has(number)))
      await Promise.allSettled(this.#pendingNumbers);
    /** The tables per transaction; undefined for a transaction of another process. */
    const writtenTables = numbers.map((number) => this.#tablesByTransaction.get(number));
    for (const [index, tables] of writtenTables.entries()) {
      this.#versions.recordTransactionEnd(tables ?? new Set());
      this.#tablesByTransaction.delete(numbers[index]!);
    }
    return !writtenTables.includes(undefined);
  }
}
