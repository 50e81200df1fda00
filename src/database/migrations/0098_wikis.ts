import { sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Migration, MigrationDb } from './migration.ts';

/** Wikis of projects and groups. Each wiki has its own repository, with ref intents like those of projects. */
export const migration: Migration = {
  name: '0098_wikis',
  async up(db, dialect) {
    await addWikis(db, dialect);
    await addPages(db, dialect);
    await allowWikiIntents(db, dialect);
  },
};

async function addWikis(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('wikis')
    .addColumn('wiki_id', ...dialect.id)
    .addColumn('project_id', dialect.integer, (column) => column.references('projects.id').onDelete('cascade'))
    .addColumn('group_id', dialect.integer, (column) => column.references('namespaces.id').onDelete('cascade'))
    .addColumn('storage', dialect.text, (column) => column.notNull())
    .addColumn('disk_path', dialect.text, (column) => column.notNull())
    .addColumn('default_branch', dialect.text, (column) => column.notNull())
    .addColumn('ref_state_version', dialect.integer, (column) => column.notNull().defaultTo(0))
    .addColumn('empty', dialect.boolean, (column) => column.notNull().defaultTo(true))
    .addColumn('size', dialect.integer)
    .addColumn('size_version', dialect.integer)
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .addCheckConstraint('wikis_owner', sql`(project_id is null) <> (group_id is null)`)
    .execute();
  for (const owner of ['project', 'group']) {
    await db.schema.createIndex(`wikis_by_${owner}`).on('wikis').column(`${owner}_id`).unique().execute();
  }
  await db.schema.createIndex('wikis_by_disk_path').on('wikis').columns(['disk_path', 'storage']).unique().execute();
}

async function addPages(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('wiki_pages')
    .addColumn('id', ...dialect.id)
    .addColumn('wiki_id', dialect.integer, (column) => column.notNull().references('wikis.wiki_id').onDelete('cascade'))
    .addColumn('slug_key', dialect.key)
    .addColumn('path', dialect.text)
    .addColumn('title', dialect.text, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('wiki_pages_by_slug')
    .on('wiki_pages')
    .columns(['wiki_id', 'slug_key'])
    .unique()
    .execute();
}

/**
 * Makes `project_id` of ref intents nullable. The few rows are copied to a new table, because SQLite cannot change a column.
 */
async function allowWikiIntents(db: MigrationDb, dialect: Dialect): Promise<void> {
  const indexes = ['by_project', 'by_user', 'by_merge_request'];
  for (const name of indexes) await db.schema.dropIndex(`ref_intents_${name}`).execute();
  await db.schema.alterTable('ref_intents').renameTo('ref_intents_before').execute();
  await db.schema
    .createTable('ref_intents')
    .addColumn('id', ...dialect.id)
    .addColumn('project_id', dialect.integer, (column) => column.references('projects.id').onDelete('cascade'))
    .addColumn('wiki_id', dialect.integer, (column) => column.references('wikis.wiki_id').onDelete('cascade'))
    .addColumn('user_id', dialect.integer)
    .addColumn('changes', dialect.json, (column) => column.notNull())
    .addColumn('merge_request_id', dialect.integer, (column) =>
      column.references('merge_requests.id').onDelete('set null'),
    )
    .addColumn('merge', dialect.json)
    .addColumn('options', dialect.json)
    .addColumn('renamed', dialect.json)
    .addColumn('lease_until', dialect.timestamp, (column) => column.notNull())
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addCheckConstraint('ref_intents_one', sql`(project_id is null) <> (wiki_id is null)`)
    .execute();
  const copiedColumns = sql.raw(
    'project_id, user_id, changes, merge_request_id, merge, options, lease_until, created_at',
  );
  await sql`insert into ref_intents (${copiedColumns}) select ${copiedColumns} from ref_intents_before order by id`.execute(
    db,
  );
  await db.schema.dropTable('ref_intents_before').execute();
  await db.schema.createIndex('ref_intents_by_project').on('ref_intents').column('project_id').execute();
  await db.schema.createIndex('ref_intents_by_wiki').on('ref_intents').column('wiki_id').execute();
  await db.schema.createIndex('ref_intents_by_user').on('ref_intents').column('user_id').execute();
  await sql`create unique index ref_intents_by_merge_request on ref_intents (merge_request_id)
    where "merge_request_id" is not null`.execute(db);
}
