import { sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Migration, MigrationDb } from './migration.ts';

/** To-do items for users who are mentioned in comments on commits. */
export const migration: Migration = {
  name: '0130_commit_todos',
  async up(db, dialect) {
    // SQLite cannot replace a constraint of a table.
    await (dialect.engine === 'sqlite' ? copyTable(db, dialect) : alterTable(db, dialect));
    await sql`create index todos_by_commented_commit on todos (commented_commit_id, user_id, id)
      where "commented_commit_id" is not null`.execute(db);
  },
};

const TARGET_COLUMNS = ['issue_id', 'merge_request_id', 'epic_id', 'commented_commit_id'];

const hasOneTarget = sql`${sql.join(
  TARGET_COLUMNS.map((column) => sql`(case when ${sql.id(column)} is null then 0 else 1 end)`),
  sql` + `,
)} = 1`;

async function alterTable(db: MigrationDb, dialect: Dialect): Promise<void> {
  await sql`alter table todos drop constraint todos_target,
    add column commented_commit_id ${dialect.integer} references commented_commits (id) on delete cascade,
    add constraint todos_target check (${hasOneTarget})`.execute(db);
}

const INDEXES = {
  todos_by_user: 'user_id, state, id',
  todos_by_author: 'author_id',
  todos_by_note: 'note_id',
  todos_by_project: 'project_id, user_id, id',
  todos_by_group: 'group_id, user_id, id',
  todos_by_issue: 'issue_id, user_id, id',
  todos_by_merge_request: 'merge_request_id, user_id, id',
  todos_by_epic: 'epic_id, user_id, id',
};

const TARGETS_WITH_ONE_PENDING = ['issue', 'merge_request', 'epic'];

async function copyTable(db: MigrationDb, dialect: Dialect): Promise<void> {
  for (const name of Object.keys(INDEXES)) await db.schema.dropIndex(name).execute();
  for (const target of TARGETS_WITH_ONE_PENDING) await db.schema.dropIndex(`todos_pending_by_${target}`).execute();
  await db.schema.alterTable('todos').renameTo('todos_before').execute();
  await db.schema
    .createTable('todos')
    .addColumn('id', ...dialect.id)
    .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('author_id', dialect.integer, (column) => column.notNull().references('users.id'))
    .addColumn('project_id', dialect.integer, (column) => column.references('projects.id').onDelete('cascade'))
    .addColumn('group_id', dialect.integer, (column) => column.references('namespaces.id').onDelete('cascade'))
    .addColumn('issue_id', dialect.integer, (column) => column.references('issues.id').onDelete('cascade'))
    .addColumn('merge_request_id', dialect.integer, (column) =>
      column.references('merge_requests.id').onDelete('cascade'),
    )
    .addColumn('epic_id', dialect.integer, (column) => column.references('epics.id').onDelete('cascade'))
    .addColumn('note_id', dialect.integer, (column) => column.references('notes.id').onDelete('cascade'))
    .addColumn('action', dialect.text, (column) => column.notNull())
    .addColumn('state', dialect.text, (column) => column.notNull().defaultTo('pending'))
    .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
    .addColumn('commented_commit_id', dialect.integer, (column) =>
      column.references('commented_commits.id').onDelete('cascade'),
    )
    .addCheckConstraint('todos_state', sql`state in ('pending', 'done')`)
    .addCheckConstraint('todos_target', hasOneTarget)
    .execute();
  await sql`insert into todos select *, null from todos_before`.execute(db);
  // The new table continues after the last id, which may be of a deleted row.
  await sql`delete from sqlite_sequence where name = 'todos'`.execute(db);
  await sql`update sqlite_sequence set name = 'todos' where name = 'todos_before'`.execute(db);
  await db.schema.dropTable('todos_before').execute();
  await createIndexes(db);
}

async function createIndexes(db: MigrationDb): Promise<void> {
  for (const [name, columns] of Object.entries(INDEXES)) {
    const [firstColumn = ''] = columns.split(',');
    const isPartial = !['user_id', 'author_id'].includes(firstColumn);
    const condition = isPartial ? sql`where ${sql.id(firstColumn)} is not null` : sql``;
    await sql`create index ${sql.id(name)} on todos (${sql.raw(columns)}) ${condition}`.execute(db);
  }
  for (const target of TARGETS_WITH_ONE_PENDING) {
    await sql`create unique index ${sql.id(`todos_pending_by_${target}`)} on todos (${sql.id(`${target}_id`)}, user_id, action)
      where state = 'pending' and action not in ('mentioned', 'directly_addressed')`.execute(db);
  }
}
