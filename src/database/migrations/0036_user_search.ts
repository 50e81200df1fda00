import { sql } from 'kysely';
import { makeSearchable } from '../search/trigrams.ts';
import type { Migration } from './migration.ts';

/** Trigram indexes for names of users, and partial indexes for filters that match few users. */
export const migration: Migration = {
  name: '0036_user_search',
  async up(db, dialect) {
    await makeSearchable(db, dialect, 'users', ['name_key', 'username_key']);
    const conditionsByIndex = {
      users_admins: sql`admin = true`,
      users_auditors: sql`auditor = true`,
      users_externals: sql`external = true`,
      users_bots: sql`bot = true`,
      users_internals: sql`internal = true`,
      users_inactive: sql`state <> 'active'`,
    };
    for (const [name, condition] of Object.entries(conditionsByIndex)) {
      await sql`create index ${sql.id(name)} on users (id) where ${condition}`.execute(db);
    }
    await db.schema.createIndex('users_by_name_key').on('users').column('name_key').execute();
    await db.schema
      .createIndex('users_by_public_email')
      .on('users')
      .column('public_email')
      .where(sql.ref('public_email'), 'is not', null)
      .execute();
  },
};
