import type { Kysely } from 'kysely';

/** One step of the schema's history. */
export interface Migration {
  /** Name of the migration and of its file, without the extension. */
  readonly name: string;
  /** Creates and changes tables. Runs once, in one transaction with the other pending migrations. */
  up(db: MigrationDb): Promise<void>;
}

/** The untyped database of migrations: the table interfaces describe the current schema, not that of an earlier step. */
export type MigrationDb = Kysely<Record<string, Record<string, unknown>>>;
