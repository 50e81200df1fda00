import { sql } from 'kysely';
import type { Transaction } from '#database/database.ts';
import { toDiskPath } from '#git/storage/storage.ts';
import type { World } from '#test/support/world.ts';

// Inserts a row into every table, derived from the catalog of PostgreSQL.

/** Values by column name: for columns whose content a backup parses, and for check constraints of several columns. */
const SPECIAL_VALUES: Readonly<Record<string, string>> = { storage: 'default', changes: '[]', status: 'resolved' };

/** Text with characters that are hard to copy. */
const TEXT = 'Größe "x\\y" {1,NULL}\n\t🎈';

/** Inserts a row into each table that accepts one. Foreign keys refer to the first row of their table. */
export async function fillTables({ server }: World, tables: readonly string[]): Promise<void> {
  for (let remainingTables = tables; remainingTables.length > 0; ) {
    const failed: string[] = [];
    for (const table of remainingTables) {
      const addRowWith = (extraColumn: string) =>
        server.services.database.transaction((tx) => addRow(tx, table, extraColumn));
      // Some tables require exactly one of several parents.
      await addRowWith('none').catch(() => addRowWith('project_id').catch(() => failed.push(table)));
    }
    // Failed tables may refer to a table that was filled later, so they are tried again while others succeed.
    remainingTables = failed.length < remainingTables.length ? failed : [];
  }
}

/** Inserts a row without nullable references, except `extraColumn`. */
async function addRow(tx: Transaction, table: string, extraColumn: string): Promise<void> {
  const { rows } = await sql<{
    column: string;
    type: string;
    referencedColumn: string | null;
    checkConstraint: string | null;
  }>`
    select a.attname as "column", format_type(a.atttypid, null) as type,
      (select confrelid::regclass::text || '.' || b.attname from pg_constraint c
         join pg_attribute b on b.attrelid = c.confrelid and b.attnum = c.confkey[1]
         where c.contype = 'f' and c.conrelid = a.attrelid and c.conkey = array[a.attnum]) as "referencedColumn",
      (select pg_get_constraintdef(c.oid) from pg_constraint c
         where c.contype = 'c' and c.conrelid = a.attrelid and c.conkey = array[a.attnum] limit 1) as "checkConstraint"
    from pg_attribute a where a.attrelid = ${table}::regclass and a.attnum > 0 and a.attidentity = ''
      and not a.attisdropped and a.attgenerated = '' and (a.attnotnull or a.attname not like '%_id' or a.attname = ${extraColumn})`.execute(
    tx,
  );
  const values = rows.map(({ column, type, referencedColumn, checkConstraint }) => {
    const [referencedTable, key] = referencedColumn?.split('.') ?? [];
    if (referencedTable && key)
      return sql`(select ${sql.ref(key)} from ${sql.table(referencedTable)} order by 1 limit 1)`;
    // The first value that the check constraint allows.
    const [, allowedValue] = /ARRAY\[\(?'?([^':\],)]+)/.exec(checkConstraint ?? '') ?? [];
    if (allowedValue) return sql.lit(type === 'text' ? allowedValue : Number(allowedValue));
    if (column === 'disk_path') return sql.lit(toDiskPath(table));
    return type === 'text' ? sql.lit(SPECIAL_VALUES[column] ?? TEXT) : type === 'boolean' ? sql`true` : sql`1`;
  });
  const columns = sql.join(rows.map(({ column }) => sql.ref(column)));
  await sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(values)})`.execute(tx);
}
