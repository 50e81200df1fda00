import type { TableVersions } from './table-versions.ts';

/** A parsed PostgreSQL snapshot: which numbered transactions it sees. */
interface TransactionSnapshot {
  /** Transactions from this number on are not visible. */
  readonly end: number;
  /** Earlier transactions that were still open and are not visible either. */
  readonly open: ReadonlySet<number>;
}

export function parseSnapshot(text: string): TransactionSnapshot {
  const [, end, open = ''] = text.split(':');
  return { end: Number(end), open: new Set(open === '' ? [] : open.split(',').map(Number)) };
}

/** Maximum difference of transaction numbers of two snapshots that are compared. */
const MAX_SNAPSHOT_DISTANCE = 10_000;

/** Maximum number of tracked transactions that no snapshot has shown yet. */
const MAX_TRACKED = 10_000;

/** Returns the transactions that only the later snapshot sees; null if they are too many. */
export function findNewTransactions(
  laterSnapshot: TransactionSnapshot,
  earlierSnapshot: TransactionSnapshot,
): number[] | null {
  if (laterSnapshot.end - earlierSnapshot.end > MAX_SNAPSHOT_DISTANCE) return null;
  const endedNumbers = [...earlierSnapshot.open];
  for (let number = earlierSnapshot.end; number < laterSnapshot.end; number++) endedNumbers.push(number);
  return endedNumbers.filter((number) => !laterSnapshot.open.has(number));
}

/**
 * Tracks the PostgreSQL transactions of this process by number. If a snapshot differs from the previous one only by these,
 * cached results of tables that they have not written stay valid.
 */
export class CommitTracker {
  readonly #versions: TableVersions;
  readonly #tablesByTransaction = new Map<number, ReadonlySet<string>>();
  readonly #pendingEnds = new Set<Promise<unknown>>();

  constructor(versions: TableVersions) {
    this.#versions = versions;
  }

  /**
   * Records the end of a transaction. `end` resolves to its number, or null if it has none; `tables` are the tables that it may
   * have written, null if unknown.
   */
  async trackCommit(tables: ReadonlySet<string> | null, end: Promise<number | null>): Promise<void> {
    this.#pendingEnds.add(end);
    try {
      const number = await end;
      if (number === null || tables === null) return;
      // Cleared transactions later count as those of other processes, which is correct but clears the cache.
      if (this.#tablesByTransaction.size >= MAX_TRACKED) this.#tablesByTransaction.clear();
      this.#tablesByTransaction.set(number, tables);
    } finally {
      this.#pendingEnds.delete(end);
    }
  }

  /** Returns whether the later snapshot adds only transactions of this process, and updates the versions of their tables. */
  async follow(earlierSnapshot: TransactionSnapshot, laterSnapshot: TransactionSnapshot): Promise<boolean> {
    const numbers = findNewTransactions(laterSnapshot, earlierSnapshot);
    if (numbers === null) return false;
    // A snapshot may show a commit before its response arrives.
    if (!numbers.every((number) => this.#tablesByTransaction.has(number))) await Promise.allSettled(this.#pendingEnds);
    const writtenTables = numbers.map((number) => this.#tablesByTransaction.get(number));
    for (const [at, tables] of writtenTables.entries()) {
      this.#versions.recordCommit(tables ?? new Set());
      this.#tablesByTransaction.delete(numbers[at]!);
    }
    return !writtenTables.includes(undefined);
  }
}
