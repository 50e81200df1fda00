import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect.ts';

export interface Migration {
  /** Its file's name. */
  readonly name: string;
  /** Makes and changes tables. Runs once, in one transaction with the others that are due. */
  up(db: MigrationDb, dialect: Dialect): Promise<void>;
}

/** A migration sees no typed schema: the tables' interfaces describe the present, it describes a step of the past. */
export type MigrationDb = Kysely<Record<string, Record<string, unknown>>>;
