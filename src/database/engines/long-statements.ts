import { type RawBuilder, sql } from 'kysely';
import type { Statement } from './engine.ts';

const MARK = '/* may be long */';

/**
 * Marks a statement whose cost grows with the database: `query.modifyEnd(longRunning)`. For a large database, SQLite runs it in
 * another thread, because its calls would block the event loop.
 */
export const longRunning: RawBuilder<unknown> = sql.raw(MARK);

export function isLongRunning({ sql: text }: Statement): boolean {
  return text.endsWith(MARK);
}
