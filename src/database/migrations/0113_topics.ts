import { type RawBuilder, sql } from 'kysely';
import { type Dialect, maintainColumnCopies } from '../dialect.ts';
import { foldCase } from '../name-keys.ts';
import { makeSearchable } from '../search/trigrams.ts';
import type { Migration, MigrationDb } from './migration.ts';

/** Moves topics from lists of names in the rows of projects to a table to which projects refer. */
export const migration: Migration = {
  name: '0113_topics',
  async up(db, dialect) {
    await createTopics(db, dialect);
    await createProjectTopics(db, dialect);
    await moveNames(db);
    await db.schema.alterTable('projects').dropColumn('topics').execute();
  },
};

async function createTopics(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('topics')
    .addColumn('id', ...dialect.id)
    .addColumn('name', dialect.text, (column) => column.notNull())
    .addColumn('name_key', dialect.key, (column) => column.notNull())
    .addColumn('title', dialect.text, (column) => column.notNull())
    .addColumn('title_key', dialect.key, (column) => column.notNull())
    .addColumn('description', dialect.text)
    .addColumn('project_count', dialect.integer, (column) => column.notNull().defaultTo(0))
    .addColumn('shared_project_count', dialect.integer, (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('topics_by_name').on('topics').column('name_key').unique().execute();
  await db.schema.createIndex('topics_by_use').on('topics').columns(['shared_project_count desc', 'id']).execute();
  await db.schema
    .createIndex('topics_unused')
    .on('topics')
    .column('id')
    .where(sql.ref('project_count'), '=', sql.lit(0))
    .execute();
  await makeSearchable(db, dialect, 'topics', ['name_key', 'title_key']);
}

async function createProjectTopics(db: MigrationDb, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('project_topics')
    .addColumn('project_id', dialect.integer, (column) =>
      column.notNull().references('projects.id').onDelete('cascade'),
    )
    .addColumn('topic_id', dialect.integer, (column) => column.notNull().references('topics.id').onDelete('cascade'))
    .addColumn('position', dialect.integer, (column) => column.notNull())
    .addColumn('visibility', dialect.text)
    .addPrimaryKeyConstraint('project_topics_pkey', ['project_id', 'topic_id'])
    .execute();
  await db.schema
    .createIndex('project_topics_by_topic')
    .on('project_topics')
    .columns(['topic_id', 'project_id'])
    .execute();
  await maintainColumnCopies(db, dialect, {
    table: 'project_topics',
    key: 'project_id',
    source: 'projects',
    columns: ['visibility'],
  });
  await maintainCounts(db, dialect);
}

/** Adds triggers that count the projects of each topic, also when a cascade deletes rows. */
async function maintainCounts(db: MigrationDb, dialect: Dialect): Promise<void> {
  const isShared = (row: 'old' | 'new') =>
    sql`case when ${sql.ref(`${row}.visibility`)} in ('internal', 'public') then 1 else 0 end`;
  const buildUpdate = (row: 'old' | 'new', changes: RawBuilder<unknown>) =>
    sql`update topics set ${changes} where id = ${sql.ref(`${row}.topic_id`)}`;
  const updatesByEvent = {
    insert: buildUpdate(
      'new',
      sql`project_count = project_count + 1, shared_project_count = shared_project_count + ${isShared('new')}`,
    ),
    delete: buildUpdate(
      'old',
      sql`project_count = project_count - 1, shared_project_count = shared_project_count - ${isShared('old')}`,
    ),
    'update of visibility': buildUpdate(
      'new',
      sql`shared_project_count = shared_project_count + ${isShared('new')} - ${isShared('old')}`,
    ),
  };
  for (const [event, update] of Object.entries(updatesByEvent)) {
    const name = sql.id(`project_topics_counted_on_${event.split(' ')[0]}`);
    const trigger = sql`create trigger ${name} after ${sql.raw(event)} on project_topics`;
    if (dialect.engine === 'sqlite') {
      await sql`${trigger} begin ${update}; end`.execute(db);
      continue;
    }
    await sql`create function ${name}() returns trigger language plpgsql as $$ begin ${update}; return null; end $$`.execute(
      db,
    );
    await sql`${trigger} for each row execute function ${name}()`.execute(db);
  }
}

/** Number of projects that are read at once. */
const BATCH_SIZE = 500;

/** Moves the names to the new tables. Names that differ only in case become one topic. */
async function moveNames(db: MigrationDb): Promise<void> {
  const idsByKey = new Map<string, number>();
  for (let lastId = 0; ; ) {
    const { rows } = await sql<{ id: number; topics: string; created_at: string }>`
      select id, topics, created_at from projects where id > ${lastId} and topics <> '[]' order by id limit ${BATCH_SIZE}`.execute(
      db,
    );
    for (const { id, topics, created_at } of rows) {
      const names = JSON.parse(topics) as string[];
      for (const name of names) {
        const key = foldCase(name);
        if (!idsByKey.has(key)) idsByKey.set(key, await insertTopic(db, name, key, created_at));
      }
      const topicIds = new Set(names.map((name) => idsByKey.get(foldCase(name))));
      for (const [position, topicId] of [...topicIds].entries()) {
        await sql`insert into project_topics (project_id, topic_id, position)
          values (${id}, ${topicId}, ${position})`.execute(db);
      }
      lastId = id;
    }
    if (rows.length < BATCH_SIZE) return;
  }
}

async function insertTopic(db: MigrationDb, name: string, key: string, createdAt: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into topics (name, name_key, title, title_key, created_at, updated_at)
    values (${name}, ${key}, ${name}, ${key}, ${createdAt}, ${createdAt}) returning id`.execute(db);
  return rows[0]!.id;
}
