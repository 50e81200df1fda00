import type { DatabaseSync } from 'node:sqlite';
import type { Connection } from '../engines/engine.ts';

/** Which tables there are, and which are written along with others: read from the database itself, so that nothing has to be listed. */
export interface TablesKnown {
  readonly tables: ReadonlySet<string>;
  /** Table -> those that its triggers write. */
  readonly triggered: ReadonlyMap<string, readonly string[]>;
  /** Table -> those whose rows go, or refer to nothing, with its rows. */
  readonly referring: ReadonlyMap<string, readonly string[]>;
}

interface Found {
  readonly tables: readonly string[];
  /** What a trigger of the table does, as it is written. */
  readonly triggers: readonly { readonly table: string; readonly text: string }[];
  readonly references: readonly { readonly child: string; readonly parent: string }[];
}

function known({ tables: all, triggers, references }: Found): TablesKnown {
  const tables = new Set(all);
  const triggered = new Map<string, string[]>();
  for (const { table, text } of triggers) {
    const named = (text.match(/\w+/g) ?? []).filter((word) => tables.has(word));
    triggered.set(table, [...(triggered.get(table) ?? []), ...named]);
  }
  const referring = new Map<string, string[]>();
  for (const { child, parent } of references) referring.set(parent, [...(referring.get(parent) ?? []), child]);
  return { tables, triggered, referring };
}

export function tablesOfSqlite(database: DatabaseSync): TablesKnown {
  const entries = database.prepare('select type, name, tbl_name, sql from sqlite_schema').all();
  const references = database.prepare(
    `select t.name as child, f."table" as parent from sqlite_schema t, pragma_foreign_key_list(t.name) f
     where t.type = 'table' and (f.on_delete <> 'NO ACTION' or f.on_update <> 'NO ACTION')`,
  );
  const of = (kind: string) => entries.filter(({ type }) => type === kind);
  return known({
    tables: of('table').map(({ name }) => String(name)),
    triggers: of('trigger').map(({ tbl_name, sql }) => ({ table: String(tbl_name), text: String(sql) })),
    references: references.all() as unknown as Found['references'],
  });
}

/** One statement for all: what it is, the table, and what belongs to it. */
const OF_POSTGRES = {
  sql: `select 'table' as kind, relname::text as name, '' as other from pg_class
      where relkind in ('r', 'p', 'v', 'm') and relnamespace = to_regnamespace(current_schema()::text)
    union all select 'trigger', tgrelid::regclass::text, prosrc from pg_trigger join pg_proc on pg_proc.oid = tgfoid
      where not tgisinternal
    union all select 'reference', confrelid::regclass::text, conrelid::regclass::text from pg_constraint
      where contype = 'f' and (confdeltype not in ('a', 'r') or confupdtype not in ('a', 'r'))`,
  parameters: [],
};

export async function tablesOfPostgres({ execute }: Connection): Promise<TablesKnown> {
  const rows = (await execute(OF_POSTGRES)).rows as { kind: string; name: string; other: string }[];
  const of = (wanted: string) => rows.filter(({ kind }) => kind === wanted);
  return known({
    tables: of('table').map(({ name }) => name),
    triggers: of('trigger').map(({ name, other }) => ({ table: name, text: other })),
    references: of('reference').map(({ name, other }) => ({ parent: name, child: other })),
  });
}
