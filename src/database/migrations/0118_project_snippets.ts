import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { addRowInsertingTrigger, type Dialect } from '../dialect.ts';
import type { Migration, MigrationDb } from './migration.ts';

/** Snippets of projects, with notes. Refs of all snippets get versions and ref intents, because pushes change them too. */
export const migration: Migration = {
  name: '0118_project_snippets',
  async up(db, dialect) {
    await addSnippetColumns(db, dialect);
    await addNotes(db, dialect);
    await allowSnippetIntents(db, dialect);
    await addEvents(db, dialect);
  },
};

async function addSnippetColumns(db: MigrationDb, dialect: Dialect): Promise<void> {
  const alterSnippets = db.schema.alterTable('snippets');
  await alterSnippets
    .addColumn('project_id', dialect.integer, (column) => column.references('projects.id').onDelete('cascade'))
    .execute();
  await alterSnippets
    .addColumn('default_branch', dialect.text, (column) => column.notNull().defaultTo('main'))
    .execute();
  await alterSnippets
    .addColumn('ref_state_version', dialect.integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await alterSnippets.addColumn('empty', dialect.boolean, (column) => column.notNull().defaultTo(false)).execute();
  await alterSnippets.addColumn('size', dialect.integer, (column) => column.notNull().defaultTo(0)).execute();
  await db.schema.createIndex('snippets_by_project').on('snippets').columns(['project_id', 'id']).execute();
}

async function addNotes(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .alterTable('notes')
    .addColumn('snippet_id', dialect.integer, (column) => column.references('snippets.id').onDelete('cascade'))
    .execute();
  for (const timestamp of ['created', 'updated']) {
    await sql`create index ${sql.id(`notes_by_snippet_${timestamp}`)} on notes (snippet_id, ${sql.id(`${timestamp}_at`)}, id)
      where "snippet_id" is not null`.execute(db);
  }
}

/** Adds `snippet_id` to the check constraint of ref intents. The few rows are copied, because SQLite cannot change a constraint. */
async function allowSnippetIntents(db: MigrationDb, dialect: Dialect): Promise<void> {
  for (const name of ['by_project', 'by_wiki', 'by_user', 'by_merge_request']) {
    await db.schema.dropIndex(`ref_intents_${name}`).execute();
  }
  await db.schema.alterTable('ref_intents').renameTo('ref_intents_before').execute();
  await db.schema
    .createTable('ref_intents')
    .addColumn('id', ...dialect.id)
    .addColumn('project_id', dialect.integer, (column) => column.references('projects.id').onDelete('cascade'))
    .addColumn('wiki_id', dialect.integer, (column) => column.references('wikis.wiki_id').onDelete('cascade'))
    .addColumn('snippet_id', dialect.integer, (column) => column.references('snippets.id').onDelete('cascade'))
    .addColumn('user_id', dialect.integer)
    .addColumn('changes', dialect.json, (column) => column.notNull())
    .addColumn('merge_request_id', dialect.integer, (column) =>
      column.references('merge_requests.id').onDelete('set null'),
    )
    .addColumn('merge', dialect.json)
    .addColumn('options', dialect.json)
    .addColumn('renamed', dialect.json)
    .addColumn('snippet_patch', dialect.json)
    .addColumn('lease_until', dialect.timestamp, (column) => column.notNull())
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addCheckConstraint(
      'ref_intents_owner',
      sql`(case when project_id is null then 0 else 1 end) + (case when wiki_id is null then 0 else 1 end)
        + (case when snippet_id is null then 0 else 1 end) = 1`,
    )
    .execute();
  const copiedColumns = sql.raw(
    'project_id, wiki_id, user_id, changes, merge_request_id, merge, options, renamed, lease_until, created_at',
  );
  await sql`insert into ref_intents (${copiedColumns}) select ${copiedColumns} from ref_intents_before order by id`.execute(
    db,
  );
  await db.schema.dropTable('ref_intents_before').execute();
  for (const owner of ['project', 'wiki', 'snippet', 'user']) {
    await db.schema.createIndex(`ref_intents_by_${owner}`).on('ref_intents').column(`${owner}_id`).execute();
  }
  await sql`create unique index ref_intents_by_merge_request on ref_intents (merge_request_id)
    where "merge_request_id" is not null`.execute(db);
}

/** Adds replication events of changed refs, and of snippets whose project gets another path and may get into another scope. */
async function addEvents(db: MigrationDb, dialect: Dialect): Promise<void> {
  const hasSecondary = sql<SqlBool>`exists (select 1 from geo_sites where not is_primary)`;
  const insertIntoEvents = sql`insert into geo_events (created_at, event_name, replicable_name, replicable_id, rescoped)`;
  await addRowInsertingTrigger(db, dialect, {
    name: 'geo_snippet_updated',
    table: 'snippets',
    after: { update: ['ref_state_version'] },
    when: sql<SqlBool>`old.ref_state_version <> new.ref_state_version and new.made and ${hasSecondary}`,
    insertStatements: (timestamp: RawBuilder<string>) => [
      sql`${insertIntoEvents} values (${timestamp}, 'updated', 'snippet_repository', new.id, false)`,
    ],
  });
  await addRowInsertingTrigger(db, dialect, {
    name: 'geo_snippet_transferred',
    table: 'routes',
    after: { update: ['full_path'] },
    when: sql<SqlBool>`new.project_id is not null and old.full_path <> new.full_path and ${hasSecondary}`,
    insertStatements: (timestamp: RawBuilder<string>) => [
      sql`${insertIntoEvents} select ${timestamp}, 'updated', 'snippet_repository', id, true from snippets
        where project_id = new.project_id and made`,
    ],
  });
}
