import type { TableVersions } from './table-versions.ts';

/** What a snapshot's text says of PostgreSQL's transactions, which are numbered: which of them it sees. */
interface Snapshot {
  /** All that have a number from here on are not seen, ... */
  readonly end: number;
  /** ... nor are these, which had begun and not ended. */
  readonly open: ReadonlySet<number>;
}

export function readSnapshot(text: string): Snapshot {
  const [, end, open = ''] = text.split(':');
  return { end: Number(end), open: new Set(open === '' ? [] : open.split(',').map(Number)) };
}

/** What two snapshots may lie apart; farther ones are not compared. */
const FARTHEST = 10_000;

/** Transactions whose tables are known, and which no snapshot has shown yet. */
const KEPT = 10_000;

/** The transactions that the later one sees and the earlier one does not; null: too many. */
export function newIn(later: Snapshot, earlier: Snapshot): number[] | null {
  if (later.end - earlier.end > FARTHEST) return null;
  const ended = [...earlier.open];
  for (let number = earlier.end; number < later.end; number++) ended.push(number);
  return ended.filter((number) => !later.open.has(number));
}

/**
 * The transactions of this process on PostgreSQL by their numbers. Where a snapshot differs from the one before only by
 * these, what was read of tables that none of them has written is as true as before.
 */
export class OwnCommits {
  readonly #versions: TableVersions;
  readonly #written = new Map<number, ReadonlySet<string>>();
  readonly #ending = new Set<Promise<unknown>>();

  constructor(versions: TableVersions) {
    this.#versions = versions;
  }

  /** A transaction ends: its number, if it had one, is what `end` promises. `tables`: what it may have written; null: who knows. */
  async ends(tables: ReadonlySet<string> | null, end: Promise<number | null>): Promise<void> {
    this.#ending.add(end);
    try {
      const number = await end;
      if (number === null || tables === null) return;
      // Those whom nobody has asked for are strangers later on, which is as true as it is dear.
      if (this.#written.size >= KEPT) this.#written.clear();
      this.#written.set(number, tables);
    } finally {
      this.#ending.delete(end);
    }
  }

  /** Whether all that the later snapshot sees in addition is of this process; the versions of their tables move on with it. */
  async follow(earlier: Snapshot, later: Snapshot): Promise<boolean> {
    const numbers = newIn(later, earlier);
    if (numbers === null) return false;
    // A commit is seen before the answer to it comes.
    if (!numbers.every((number) => this.#written.has(number))) await Promise.allSettled(this.#ending);
    const all = numbers.map((number) => this.#written.get(number));
    for (const [at, tables] of all.entries()) {
      this.#versions.committed(tables ?? new Set());
      this.#written.delete(numbers[at]!);
    }
    return !all.includes(undefined);
  }
}
