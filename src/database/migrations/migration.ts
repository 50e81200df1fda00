import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect.ts';

export interface Migration {
  /** The name of the file. */
  readonly name: string;
  /** Creates and changes tables. Runs once, in one transaction with the other pending migrations. */
  up(db: MigrationDb, dialect: Dialect): Promise<void>;
}

/** Migrations have no typed schema: the table interfaces describe the present, a migration describes a past step. */
export type MigrationDb = Kysely<Record<string, Record<string, unknown>>>;
