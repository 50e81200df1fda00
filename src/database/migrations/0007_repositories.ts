import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Protected branches, ref intents, and LFS objects. */
export const migration: Migration = {
  name: '0007_repositories',
  async up(db, dialect) {
    await db.schema
      .createTable('protected_branches')
      .addColumn('id', ...dialect.id)
      .addColumn('project_id', dialect.integer, (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('name', dialect.text, (column) => column.notNull())
      .addColumn('allow_force_push', dialect.boolean, (column) => column.notNull())
      .addColumn('code_owner_approval_required', dialect.boolean, (column) => column.notNull())
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('protected_branches_by_name')
      .on('protected_branches')
      .columns(['project_id', 'name'])
      .unique()
      .execute();

    await db.schema
      .createTable('protected_branch_access_levels')
      .addColumn('id', ...dialect.id)
      .addColumn('protected_branch_id', dialect.integer, (column) =>
        column.notNull().references('protected_branches.id').onDelete('cascade'),
      )
      .addColumn('kind', dialect.text, (column) => column.notNull())
      .addColumn('access_level', dialect.integer, (column) => column.notNull())
      .addColumn('user_id', dialect.integer, (column) => column.references('users.id').onDelete('cascade'))
      .addColumn('group_id', dialect.integer, (column) => column.references('namespaces.id').onDelete('cascade'))
      .addCheckConstraint('protected_branch_access_levels_kind', sql`kind in ('push', 'merge', 'unprotect')`)
      .addCheckConstraint('protected_branch_access_levels_one', sql`user_id is null or group_id is null`)
      .execute();
    // Three partial indexes, because nulls are distinct from each other in a unique index.
    const levelsTable = 'protected_branch_access_levels';
    const createPartialUniqueIndex = (name: string, column: string, condition: string) =>
      db.schema
        .createIndex(name)
        .on(levelsTable)
        .columns(['protected_branch_id', 'kind', column])
        .unique()
        .where(sql<boolean>`${sql.raw(condition)}` as never)
        .execute();
    await createPartialUniqueIndex(
      'protected_branch_levels_by_role',
      'access_level',
      'user_id is null and group_id is null',
    );
    await createPartialUniqueIndex('protected_branch_levels_by_user', 'user_id', 'user_id is not null');
    await createPartialUniqueIndex('protected_branch_levels_by_group', 'group_id', 'group_id is not null');
    await db.schema.createIndex('protected_branch_levels_of_user').on(levelsTable).column('user_id').execute();
    await db.schema.createIndex('protected_branch_levels_of_group').on(levelsTable).column('group_id').execute();

    await db.schema
      .createTable('ref_intents')
      .addColumn('id', ...dialect.id)
      .addColumn('project_id', dialect.integer, (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('user_id', dialect.integer)
      .addColumn('changes', dialect.json, (column) => column.notNull())
      .addColumn('lease_until', dialect.timestamp, (column) => column.notNull())
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('ref_intents_by_project').on('ref_intents').column('project_id').execute();
    await db.schema.createIndex('ref_intents_by_lease').on('ref_intents').column('lease_until').execute();

    await db.schema
      .createTable('lfs_objects')
      .addColumn('id', ...dialect.id)
      .addColumn('oid', dialect.text, (column) => column.notNull().references('blobs.sha256'))
      .addColumn('size', dialect.integer, (column) => column.notNull())
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('lfs_objects_by_oid').on('lfs_objects').column('oid').unique().execute();
    await db.schema
      .createTable('lfs_object_projects')
      .addColumn('lfs_object_id', dialect.integer, (column) =>
        column.notNull().references('lfs_objects.id').onDelete('cascade'),
      )
      .addColumn('project_id', dialect.integer, (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addPrimaryKeyConstraint('lfs_object_projects_pkey', ['project_id', 'lfs_object_id'])
      .execute();
    await db.schema
      .createIndex('lfs_object_projects_by_object')
      .on('lfs_object_projects')
      .column('lfs_object_id')
      .execute();
  },
};
