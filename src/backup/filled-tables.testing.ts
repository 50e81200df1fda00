import { sql } from 'kysely';
import type { Transaction } from '#database/database.ts';
import type { World } from '#test/support/world.ts';

// Rows in every table, made of what PostgreSQL tells of them.

/** What a backup reads for itself, and a condition that spans columns. */
const READ: Readonly<Record<string, string>> = { storage: 'default', changes: '[]', status: 'resolved' };

/** What texts may be made of. */
const TEXT = 'Größe "x\\y" {1,NULL}\n\t🎈';

/** A row for each table that has none and takes such a one: it refers to the first of what there is. */
export async function fillTables({ server }: World, tables: readonly string[]): Promise<void> {
  for (let left = tables; left.length > 0; ) {
    const failed: string[] = [];
    for (const table of left) {
      const added = (besides: string) => server.services.database.transaction((tx) => addRow(tx, table, besides));
      // Some belong to a project or a group, and to one of them.
      await added('none').catch(() => added('project_id').catch(() => failed.push(table)));
    }
    left = failed.length < left.length ? failed : [];
  }
}

/** Without references that may be left out, but `besides`. */
async function addRow(tx: Transaction, table: string, besides: string): Promise<void> {
  const { rows } = await sql<{ column: string; type: string; refers: string | null; checked: string | null }>`
    select a.attname as "column", format_type(a.atttypid, null) as type,
      (select confrelid::regclass::text || '.' || b.attname from pg_constraint c
         join pg_attribute b on b.attrelid = c.confrelid and b.attnum = c.confkey[1]
         where c.contype = 'f' and c.conrelid = a.attrelid and c.conkey = array[a.attnum]) as refers,
      (select pg_get_constraintdef(c.oid) from pg_constraint c
         where c.contype = 'c' and c.conrelid = a.attrelid and c.conkey = array[a.attnum] limit 1) as checked
    from pg_attribute a where a.attrelid = ${table}::regclass and a.attnum > 0 and a.attidentity = ''
      and not a.attisdropped and a.attgenerated = '' and (a.attnotnull or a.attname not like '%_id' or a.attname = ${besides})`.execute(
    tx,
  );
  const values = rows.map(({ column, type, refers, checked }) => {
    const [other, key] = refers?.split('.') ?? [];
    if (other && key) return sql`(select ${sql.ref(key)} from ${sql.table(other)} order by 1 limit 1)`;
    const [, first] = /ARRAY\[\(?'?([^':\],)]+)/.exec(checked ?? '') ?? [];
    if (first) return sql.lit(type === 'text' ? first : Number(first));
    return type === 'text' ? sql.lit(READ[column] ?? TEXT) : type === 'boolean' ? sql`true` : sql`1`;
  });
  const columns = sql.join(rows.map(({ column }) => sql.ref(column)));
  await sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(values)})`.execute(tx);
}
