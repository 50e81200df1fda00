import type { Database } from '#database/database.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { countInDatabase, windowAt } from './window-counters.ts';

/** How often one caller may ask for one thing (contract/conventions.md §8 "Application limits"). */
interface ApplicationLimit {
  readonly name: string;
  /** Who is counted. */
  readonly subject: number | string;
  /** Requests in one period; 0: no limit. */
  readonly limit: number;
  readonly periodSeconds: number;
}

/**
 * Counts this request, for all processes together, and refuses it when it is one too many: `tooMany` with `seconds`.
 * Periods are fixed windows.
 */
export async function applicationLimit(
  database: Database,
  limit: ApplicationLimit,
): Promise<Failure<'tooMany'> | null> {
  if (limit.limit === 0) return null;
  const { name, subject, periodSeconds } = limit;
  const count = await database.transaction(
    (tx) => countInDatabase(tx, windowAt(new Date(tx.now), `${name}:${subject}`, periodSeconds)),
    { isolation: 'read committed' },
  );
  return count > limit.limit ? fail('tooMany', { seconds: periodSeconds }) : null;
}
