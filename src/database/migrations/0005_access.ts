import { sql } from 'kysely';
import type { Migration } from './migration.ts';

const VISIBILITY_CHECK = sql`visibility in ('private', 'internal', 'public')`;
const FEATURE_COLUMNS = [
  'repository_access_level',
  'issues_access_level',
  'merge_requests_access_level',
  'builds_access_level',
  'environments_access_level',
  'wiki_access_level',
  'snippets_access_level',
] as const;

/** Namespaces, projects with their repositories, full paths, and memberships. */
export const migration: Migration = {
  name: '0005_access',
  async up(db, dialect) {
    await db.schema
      .createTable('namespaces')
      .addColumn('id', ...dialect.id)
      .addColumn('kind', dialect.text, (column) => column.notNull())
      .addColumn('owner_id', dialect.integer, (column) => column.references('users.id'))
      .addColumn('parent_id', dialect.integer, (column) => column.references('namespaces.id'))
      .addColumn('path', dialect.text, (column) => column.notNull())
      .addColumn('name', dialect.text, (column) => column.notNull())
      .addColumn('name_key', dialect.key, (column) => column.notNull())
      .addColumn('description', dialect.text, (column) => column.notNull().defaultTo(''))
      .addColumn('visibility', dialect.text, (column) => column.notNull())
      .addColumn('archived', dialect.boolean, (column) => column.notNull().defaultTo(false))
      .addColumn('attributes', dialect.json, (column) => column.notNull().defaultTo('{}'))
      .addColumn('marked_for_deletion_on', dialect.text)
      .addColumn('name_before_deletion', dialect.text)
      .addColumn('path_before_deletion', dialect.text)
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .addCheckConstraint('namespaces_kind', sql`kind in ('user', 'group')`)
      .addCheckConstraint('namespaces_owner', sql`(kind = 'user') = (owner_id is not null)`)
      .addCheckConstraint('namespaces_visibility', VISIBILITY_CHECK)
      .execute();
    await db.schema.createIndex('namespaces_by_owner').on('namespaces').column('owner_id').unique().execute();
    await db.schema.createIndex('namespaces_by_parent').on('namespaces').columns(['parent_id', 'id']).execute();
    await db.schema.createIndex('namespaces_by_name').on('namespaces').columns(['name', 'id']).execute();
    await db.schema.createIndex('namespaces_by_deletion').on('namespaces').column('marked_for_deletion_on').execute();

    await db.schema
      .createTable('namespace_closure')
      .addColumn('ancestor_id', dialect.integer, (column) =>
        column.notNull().references('namespaces.id').onDelete('cascade'),
      )
      .addColumn('descendant_id', dialect.integer, (column) =>
        column.notNull().references('namespaces.id').onDelete('cascade'),
      )
      .addColumn('depth', dialect.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('namespace_closure_pkey', ['descendant_id', 'ancestor_id'])
      .execute();
    await db.schema
      .createIndex('namespace_closure_by_ancestor')
      .on('namespace_closure')
      .columns(['ancestor_id', 'descendant_id'])
      .execute();

    let projects = db.schema
      .createTable('projects')
      .addColumn('id', ...dialect.id)
      .addColumn('namespace_id', dialect.integer, (column) => column.notNull().references('namespaces.id'))
      .addColumn('creator_id', dialect.integer)
      .addColumn('path', dialect.text, (column) => column.notNull())
      .addColumn('name', dialect.text, (column) => column.notNull())
      .addColumn('name_key', dialect.key, (column) => column.notNull())
      .addColumn('description', dialect.text)
      .addColumn('visibility', dialect.text, (column) => column.notNull())
      .addColumn('archived', dialect.boolean, (column) => column.notNull().defaultTo(false));
    for (const feature of FEATURE_COLUMNS) {
      projects = projects.addColumn(feature, dialect.text, (column) => column.notNull().defaultTo('enabled'));
    }
    await projects
      .addColumn('lfs_enabled', dialect.boolean, (column) => column.notNull().defaultTo(true))
      .addColumn('topics', dialect.json, (column) => column.notNull().defaultTo('[]'))
      .addColumn('attributes', dialect.json, (column) => column.notNull().defaultTo('{}'))
      .addColumn('marked_for_deletion_on', dialect.text)
      .addColumn('name_before_deletion', dialect.text)
      .addColumn('path_before_deletion', dialect.text)
      .addColumn('last_activity_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .addCheckConstraint('projects_visibility', VISIBILITY_CHECK)
      .execute();
    await db.schema
      .createIndex('projects_by_name_key')
      .on('projects')
      .columns(['namespace_id', 'name_key'])
      .unique()
      .execute();
    await db.schema.createIndex('projects_by_namespace').on('projects').columns(['namespace_id', 'id']).execute();
    await db.schema.createIndex('projects_by_created_at').on('projects').columns(['created_at', 'id']).execute();
    await db.schema.createIndex('projects_by_updated_at').on('projects').columns(['updated_at', 'id']).execute();
    await db.schema
      .createIndex('projects_by_last_activity')
      .on('projects')
      .columns(['last_activity_at', 'id'])
      .execute();
    await db.schema.createIndex('projects_by_name').on('projects').columns(['name', 'id']).execute();
    await db.schema.createIndex('projects_by_path').on('projects').columns(['path', 'id']).execute();
    await db.schema.createIndex('projects_by_creator').on('projects').column('creator_id').execute();
    await db.schema.createIndex('projects_by_deletion').on('projects').column('marked_for_deletion_on').execute();

    await db.schema
      .createTable('repositories')
      .addColumn('project_id', dialect.integer, (column) =>
        column.primaryKey().references('projects.id').onDelete('cascade'),
      )
      .addColumn('storage', dialect.text, (column) => column.notNull())
      .addColumn('disk_path', dialect.text, (column) => column.notNull())
      .addColumn('read_only', dialect.boolean, (column) => column.notNull().defaultTo(false))
      .addColumn('ref_state_version', dialect.integer, (column) => column.notNull().defaultTo(0))
      .addColumn('default_branch', dialect.text, (column) => column.notNull())
      .addColumn('empty', dialect.boolean, (column) => column.notNull().defaultTo(true))
      .execute();
    await db.schema
      .createIndex('repositories_by_storage')
      .on('repositories')
      .columns(['storage', 'project_id'])
      .execute();
    await db.schema
      .createIndex('repositories_by_disk_path')
      .on('repositories')
      .columns(['disk_path', 'storage'])
      .unique()
      .execute();

    await db.schema
      .createTable('routes')
      .addColumn('id', ...dialect.id)
      .addColumn('full_path', dialect.text, (column) => column.notNull())
      .addColumn('full_path_key', dialect.key, (column) => column.notNull())
      .addColumn('full_name', dialect.text, (column) => column.notNull())
      .addColumn('namespace_id', dialect.integer, (column) => column.references('namespaces.id').onDelete('cascade'))
      .addColumn('project_id', dialect.integer, (column) => column.references('projects.id').onDelete('cascade'))
      .addCheckConstraint('routes_source', sql`(namespace_id is null) <> (project_id is null)`)
      .execute();
    await db.schema.createIndex('routes_by_full_path').on('routes').column('full_path_key').unique().execute();
    await db.schema.createIndex('routes_by_namespace').on('routes').column('namespace_id').unique().execute();
    await db.schema.createIndex('routes_by_project').on('routes').column('project_id').unique().execute();

    await db.schema
      .createTable('redirects')
      .addColumn('full_path_key', dialect.key, (column) => column.primaryKey())
      .addColumn('full_path', dialect.text, (column) => column.notNull())
      .addColumn('project_id', dialect.integer, (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .execute();
    await db.schema.createIndex('redirects_by_project').on('redirects').column('project_id').execute();

    await db.schema
      .createTable('memberships')
      .addColumn('id', ...dialect.id)
      .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('source_type', dialect.text, (column) => column.notNull())
      .addColumn('source_id', dialect.integer, (column) => column.notNull())
      .addColumn('access_level', dialect.integer, (column) => column.notNull())
      .addColumn('expires_at', dialect.text)
      .addColumn('created_by_id', dialect.integer)
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('updated_at', dialect.timestamp, (column) => column.notNull())
      .addCheckConstraint('memberships_source', sql`source_type in ('group', 'project')`)
      .addCheckConstraint('memberships_access_level', sql`access_level in (10, 15, 20, 30, 40, 50)`)
      .execute();
    await db.schema
      .createIndex('memberships_by_source')
      .on('memberships')
      .columns(['source_type', 'source_id', 'user_id'])
      .unique()
      .execute();
    await db.schema
      .createIndex('memberships_by_user')
      .on('memberships')
      .columns(['user_id', 'source_type', 'source_id'])
      .execute();
    await db.schema.createIndex('memberships_by_expiry').on('memberships').column('expires_at').execute();
  },
};
