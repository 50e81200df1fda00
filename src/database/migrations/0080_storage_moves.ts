import { sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Migration, MigrationDb } from './migration.ts';

const OWNER_REFERENCES = [
  ['project_id', 'projects.id'],
  ['snippet_id', 'snippets.id'],
  ['group_id', 'namespaces.id'],
] as const;

/** Moves of repositories between storages. */
export const migration: Migration = {
  name: '0080_storage_moves',
  async up(db, dialect) {
    for (const table of ['repositories', 'snippets', 'namespaces']) {
      await db.schema.alterTable(table).addColumn('move_id', dialect.integer).execute();
    }
    await addMoves(db, dialect);
  },
};

async function addMoves(db: MigrationDb, dialect: Dialect): Promise<void> {
  let table = db.schema
    .createTable('storage_moves')
    .addColumn('id', ...dialect.id)
    .addColumn('kind', dialect.text, (column) => column.notNull());
  for (const [column, referencedColumn] of OWNER_REFERENCES) {
    table = table.addColumn(column, dialect.integer, (definition) =>
      definition.references(referencedColumn).onDelete('cascade'),
    );
  }
  await table
    .addColumn('state', dialect.text, (column) => column.notNull())
    .addColumn('source_storage', dialect.text, (column) => column.notNull())
    .addColumn('destination_storage', dialect.text, (column) => column.notNull())
    .addColumn('repositories', dialect.text, (column) => column.notNull())
    .addColumn('error_message', dialect.text)
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('storage_moves_by_kind')
    .on('storage_moves')
    .columns(['kind', 'created_at', 'id'])
    .execute();
  for (const [column] of OWNER_REFERENCES) {
    await db.schema
      .createIndex(`storage_moves_by_${column}`)
      .on('storage_moves')
      .columns([column, 'created_at', 'id'])
      .execute();
    await sql`create unique index ${sql.ref(`storage_moves_under_way_by_${column}`)} on storage_moves (${sql.ref(column)})
      where state in ('scheduled', 'started')`.execute(db);
  }
  await sql`create index storage_moves_under_way on storage_moves (state, id)
    where state in ('scheduled', 'started')`.execute(db);
}
