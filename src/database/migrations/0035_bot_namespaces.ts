import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Gives bots of project and group tokens a personal namespace, as all users have one. */
export const migration: Migration = {
  name: '0035_bot_namespaces',
  async up(db) {
    await sql`
      insert into namespaces (kind, owner_id, path, name, name_key, visibility, created_at, updated_at)
      select 'user', users.id, users.username, users.name, users.name_key, 'public', users.created_at, users.created_at
      from token_bots join users on users.id = token_bots.user_id
      where not exists (select 1 from namespaces where namespaces.owner_id = users.id)`.execute(db);
    await sql`
      insert into routes (full_path, full_path_key, full_name, namespace_id)
      select users.username, users.username_key, users.name, namespaces.id
      from token_bots join users on users.id = token_bots.user_id join namespaces on namespaces.owner_id = users.id
      where not exists (select 1 from routes where routes.namespace_id = namespaces.id)`.execute(db);
    await sql`
      insert into namespace_closure (ancestor_id, descendant_id, depth)
      select namespaces.id, namespaces.id, 0 from token_bots join namespaces on namespaces.owner_id = token_bots.user_id
      where not exists (select 1 from namespace_closure where descendant_id = namespaces.id)`.execute(db);
  },
};
