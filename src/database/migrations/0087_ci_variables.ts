import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** CI variables of the instance, groups and projects. */
export const migration: Migration = {
  name: '0087_ci_variables',
  async up(db, dialect) {
    await db.schema
      .createTable('ci_variables')
      .addColumn('id', ...dialect.id)
      .addColumn('project_id', dialect.integer, (column) => column.references('projects.id').onDelete('cascade'))
      .addColumn('group_id', dialect.integer, (column) => column.references('namespaces.id').onDelete('cascade'))
      .addColumn('key', dialect.text, (column) => column.notNull())
      .addColumn('encrypted_value', dialect.text, (column) => column.notNull())
      .addColumn('variable_type', dialect.text, (column) => column.notNull())
      .addColumn('environment_scope', dialect.text, (column) => column.notNull())
      .addColumn('protected', dialect.boolean, (column) => column.notNull())
      .addColumn('masked', dialect.boolean, (column) => column.notNull())
      .addColumn('hidden', dialect.boolean, (column) => column.notNull())
      .addColumn('raw', dialect.boolean, (column) => column.notNull())
      .addColumn('description', dialect.text)
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .addCheckConstraint('ci_variables_type', sql`variable_type in ('env_var', 'file')`)
      .addCheckConstraint('ci_variables_owner', sql`project_id is null or group_id is null`)
      .execute();
    for (const owner of ['project', 'group']) {
      const column = sql.ref(`${owner}_id`);
      await sql`create unique index ${sql.ref(`ci_variables_by_${owner}`)}
        on ci_variables (${column}, key, environment_scope) where ${column} is not null`.execute(db);
      await sql`create index ${sql.ref(`ci_variables_by_${owner}_id`)}
        on ci_variables (${column}, id) where ${column} is not null`.execute(db);
    }
    await sql`create unique index ci_variables_of_instance
      on ci_variables (key) where project_id is null and group_id is null`.execute(db);
    await sql`create index ci_variables_of_instance_id
      on ci_variables (id) where project_id is null and group_id is null`.execute(db);
  },
};
