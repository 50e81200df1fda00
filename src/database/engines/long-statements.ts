import { type RawBuilder, sql } from 'kysely';
import { type ConcurrencyLimiter, createConcurrencyLimiter, type Waiter } from '#runtime/concurrency-limiter.ts';
import type { ClientContext, Statement } from './engine.ts';

const LONG_MARKER = '/* may be long */';
const SCAN_MARKER = '/* scans texts */';

/**
 * Marks a statement whose cost grows with the database: `query.modifyEnd(LONG_RUNNING)`. Such statements share few connections, and
 * for a large database SQLite runs them in another thread, because its calls would block the event loop.
 */
export const LONG_RUNNING: RawBuilder<unknown> = sql.raw(LONG_MARKER);

/** Marks a condition that reads texts of up to one MiB. Statements with it have their own queue, so that they delay no others. */
export const SCANS_TEXTS: RawBuilder<unknown> = sql.raw(SCAN_MARKER);

/** `list`: a statement whose cost grows with the number of rows; `scan`: with the length of texts, which is much more. */
export type LongStatementKind = 'list' | 'scan';

/** Returns the kind of a long statement; null for a short one. */
export function getLongStatementKind({ sql: text }: Statement): LongStatementKind | null {
  if (text.includes(SCAN_MARKER)) return 'scan';
  return text.endsWith(LONG_MARKER) ? 'list' : null;
}

/** Maximum number of waiting statements, half of them from one network. */
const QUEUE_LIMIT = { maxWaiting: 400, retryAfterSeconds: 5 };

/** Creates a limiter for long statements. One network gets all slots but one, which is left to the others; at least one. */
export function createStatementLimiter(slots: number): ConcurrencyLimiter {
  return createConcurrencyLimiter(slots, QUEUE_LIMIT, Math.max(1, slots - 1));
}

/** Returns the waiter of a statement. Statements of the server itself count as those of one network. */
export function createWaiter({ network = 'server', client }: Partial<ClientContext> = {}): Waiter {
  return { network, client };
}
