import { type RawBuilder, sql } from 'kysely';
import type { Statement } from './engine.ts';

const MARK = '/* may be long */';

/**
 * `query.modifyEnd(mayBeLong)`: the statement reads more the more there is in the database. Where the database is large
 * SQLite runs it beside the event loop, which its own calls would hold up.
 */
export const mayBeLong: RawBuilder<unknown> = sql.raw(MARK);

export function isLong({ sql: text }: Statement): boolean {
  return text.endsWith(MARK);
}
