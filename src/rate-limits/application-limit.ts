import type { Database } from '#database/database.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { getRateLimitWindow, incrementCount } from './window-counters.ts';

/** Limit of one caller for one action (contract/conventions.md §8 "Application limits"). */
interface ApplicationLimit {
  readonly name: string;
  /** The caller or object that is counted. */
  readonly subject: number | string;
  /** Maximum number of requests per period; 0: no limit. */
  readonly limit: number;
  readonly periodSeconds: number;
}

/**
 * Counts this request across all processes. Fails with `tooMany` and `seconds` if it exceeds the limit. Periods are
 * fixed windows.
 */
export async function checkApplicationLimit(
  database: Database,
  limit: ApplicationLimit,
): Promise<Failure<'tooMany'> | null> {
  if (limit.limit === 0) return null;
  const { name, subject, periodSeconds } = limit;
  const count = await database.transaction(
    (tx) => incrementCount(tx, getRateLimitWindow(new Date(tx.now), `${name}:${subject}`, periodSeconds)),
    { isolation: 'read committed' },
  );
  return count > limit.limit ? fail('tooMany', { seconds: periodSeconds }) : null;
}
