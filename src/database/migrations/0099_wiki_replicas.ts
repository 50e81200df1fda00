import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { addRowInsertingTrigger, type Dialect } from '../dialect.ts';
import type { Migration, MigrationDb } from './migration.ts';

/** Index and triggers for storage moves and for the replication of wikis to other sites. */
export const migration: Migration = {
  name: '0099_wiki_replicas',
  async up(db, dialect) {
    await db.schema.createIndex('wikis_by_storage').on('wikis').columns(['storage', 'group_id']).execute();
    await addWikiEvents(db, dialect, 'project');
    await addWikiEvents(db, dialect, 'group');
  },
};

/** Condition of all event triggers, as in 0083: without a secondary, no events are written. */
const hasSecondary = sql<SqlBool>`exists (select 1 from geo_sites where not is_primary)`;

type EventName = 'created' | 'updated' | 'deleted';

/** Adds the triggers that write replication events of wikis. A wiki has no events until it gets its first content. */
async function addWikiEvents(db: MigrationDb, dialect: Dialect, owner: 'project' | 'group'): Promise<void> {
  const replicable = `${owner}_wiki_repository`;
  const insertIntoEvents = sql`insert into geo_events (created_at, event_name, replicable_name, replicable_id, rescoped)`;
  const insertEvent =
    (name: EventName, row: 'new' | 'old', rescoped: RawBuilder<unknown>) => (timestamp: RawBuilder<string>) => [
      sql`${insertIntoEvents} values (${timestamp}, ${sql.lit(name)}, ${sql.lit(replicable)}, ${sql.ref(`${row}.wiki_id`)}, ${rescoped})`,
    ];
  const hasOwner = (row: 'new' | 'old') => sql`${sql.ref(`${row}.${owner}_id`)} is not null`;
  await addRowInsertingTrigger(db, dialect, {
    name: `geo_${owner}_wiki_created`,
    table: 'wikis',
    after: { update: ['empty'] },
    when: sql<SqlBool>`${hasOwner('new')} and old.empty and not new.empty and ${hasSecondary}`,
    insertStatements: insertEvent('created', 'new', sql`false`),
  });
  const isStorageChanged = sql<SqlBool>`(old.storage <> new.storage)`;
  await addRowInsertingTrigger(db, dialect, {
    name: `geo_${owner}_wiki_updated`,
    table: 'wikis',
    after: { update: ['ref_state_version', 'default_branch', 'storage'] },
    when: sql<SqlBool>`${hasOwner('new')} and not old.empty and (old.ref_state_version <> new.ref_state_version
      or old.default_branch <> new.default_branch or ${isStorageChanged}) and ${hasSecondary}`,
    insertStatements: insertEvent('updated', 'new', isStorageChanged),
  });
  await addRowInsertingTrigger(db, dialect, {
    name: `geo_${owner}_wiki_deleted`,
    table: 'wikis',
    after: 'delete',
    when: sql<SqlBool>`${hasOwner('old')} and not old.empty and ${hasSecondary}`,
    insertStatements: insertEvent('deleted', 'old', sql`false`),
  });
  const routeColumn = owner === 'project' ? 'project_id' : 'namespace_id';
  await addRowInsertingTrigger(db, dialect, {
    name: `geo_${owner}_wiki_renamed`,
    table: 'routes',
    after: { update: ['full_path'] },
    when: sql<SqlBool>`${sql.ref(`new.${routeColumn}`)} is not null and old.full_path <> new.full_path and ${hasSecondary}`,
    insertStatements: (timestamp) => [
      sql`${insertIntoEvents} select ${timestamp}, 'updated', ${sql.lit(replicable)}, wiki_id, true from wikis
        where ${sql.ref(`${owner}_id`)} = ${sql.ref(`new.${routeColumn}`)} and not empty`,
    ],
  });
}
