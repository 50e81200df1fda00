import { foldCase } from '../name-keys.ts';
import type { Migration, MigrationDb } from './migration.ts';

/** No user has one address twice, confirmed or not. */
export const migration: Migration = {
  name: '0016_emails',
  async up(db, dialect) {
    // SQLite adds a column that is never null only with a default; every row is given its own.
    await db.schema
      .alterTable('emails')
      .addColumn('address_key', dialect.key, (column) => column.notNull().defaultTo(''))
      .execute();
    await fillKeys(db);
    await db.schema
      .createIndex('emails_by_user_address')
      .on('emails')
      .columns(['user_id', 'address_key'])
      .unique()
      .execute();
  },
};

/** `taken_key` is the folded address where there is one; folding is nobody's but JavaScript's. */
async function fillKeys(db: MigrationDb): Promise<void> {
  await db
    .updateTable('emails')
    .set((eb) => ({ address_key: eb.ref('taken_key') }))
    .where('taken_key', 'is not', null)
    .execute();
  const others = await db.selectFrom('emails').select(['id', 'email']).where('taken_key', 'is', null).execute();
  for (const { id, email } of others) {
    const address_key = foldCase(email as string);
    await db.updateTable('emails').set({ address_key }).where('id', '=', id).execute();
  }
}
