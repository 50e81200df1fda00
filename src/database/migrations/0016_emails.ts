import { foldCase } from '../name-keys.ts';
import type { Migration, MigrationDb } from './migration.ts';

/** Makes addresses unique per user, confirmed or not. */
export const migration: Migration = {
  name: '0016_emails',
  async up(db, dialect) {
    // SQLite adds a NOT NULL column only with a default; every row gets its own value below.
    await db.schema
      .alterTable('emails')
      .addColumn('address_key', dialect.key, (column) => column.notNull().defaultTo(''))
      .execute();
    await fillAddressKeys(db);
    await db.schema
      .createIndex('emails_by_user_address')
      .on('emails')
      .columns(['user_id', 'address_key'])
      .unique()
      .execute();
  },
};

/** Fills `address_key` with the folded address. Folding needs JavaScript; SQL can only copy an existing `taken_key`. */
async function fillAddressKeys(db: MigrationDb): Promise<void> {
  await db
    .updateTable('emails')
    .set((eb) => ({ address_key: eb.ref('taken_key') }))
    .where('taken_key', 'is not', null)
    .execute();
  const emailsWithoutKey = await db
    .selectFrom('emails')
    .select(['id', 'email'])
    .where('taken_key', 'is', null)
    .execute();
  for (const { id, email } of emailsWithoutKey) {
    const address_key = foldCase(email as string);
    await db.updateTable('emails').set({ address_key }).where('id', '=', id).execute();
  }
}
