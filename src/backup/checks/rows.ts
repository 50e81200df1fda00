import { sql } from 'kysely';
import { uniqueViolation } from '#database/constraint-violations.ts';
import {
  type CopiedTable,
  openSnapshot,
  quoted,
  type Reference,
  type Snapshot,
  setLastId,
  type Values,
} from '#database/copy.ts';
import { foldCase } from '#database/name-keys.ts';
import type { Check, Examined, Finding } from './finding.ts';

/** What rows must hold by themselves, read off the database as it describes itself. */

async function* inSnapshot(
  { database }: Examined,
  look: (snapshot: Snapshot) => AsyncIterable<Finding>,
): AsyncGenerator<Finding> {
  const snapshot = await openSnapshot(database);
  try {
    yield* look(snapshot);
  } finally {
    await snapshot.close();
  }
}

/** The files of the database, as its engine sees them. */
export const files: Check = {
  name: 'database',
  look: (examined) =>
    inSnapshot(examined, async function* (snapshot) {
      for (const { problem, index } of await snapshot.integrity()) {
        const text = `The database is damaged: ${problem}`;
        if (index === null) yield { text };
        else yield { text, mend: { text: `make the index ${index} anew`, run: () => remake(examined, index) } };
      }
    }),
};

async function remake({ database }: Examined, index: string): Promise<boolean> {
  await database.transaction((tx) => sql`reindex ${sql.ref(index)}`.execute(tx));
  return true;
}

/** Rows that refer to others which are not there. */
export const references: Check = {
  name: 'references',
  look: (examined) =>
    inSnapshot(examined, async function* (snapshot) {
      for (const reference of await snapshot.references()) {
        const [{ count } = { count: 0 }] = await snapshot.query(`select count(*) as count from ${dangling(reference)}`);
        if (Number(count) === 0) continue;
        const { table, columns, parent, onDelete } = reference;
        const text = `${count} rows of ${table} refer by ${columns.join(', ')} to rows of ${parent} that are not there`;
        if (onDelete === 'nothing') yield { text };
        else yield { text, mend: mendOf(examined, reference) };
      }
    }),
};

/** Rows of a table without those that they refer to, from `from` on. */
function dangling({ table, columns, parent, parentColumns }: Reference): string {
  const own = columns.map((column) => `${quoted(table)}.${quoted(column)}`);
  const same = parentColumns.map((column, at) => `referred.${quoted(column)} = ${own[at]}`).join(' and ');
  const given = own.map((column) => `${column} is not null`).join(' and ');
  return `${quoted(table)} where ${given} and not exists (select 1 from ${quoted(parent)} referred where ${same})`;
}

/** What would have happened to them when the others went. */
function mendOf({ database }: Examined, reference: Reference): Finding['mend'] {
  const { table, columns, onDelete } = reference;
  const rest = dangling(reference);
  const nothing = columns.map((column) => `${quoted(column)} = null`).join(', ');
  const statement =
    onDelete === 'cascade' ? `delete from ${rest}` : `update ${rest.replace(' where ', ` set ${nothing} where `)}`;
  return {
    text: onDelete === 'cascade' ? `delete these rows of ${table}` : 'let them refer to nothing',
    async run() {
      await database.transaction((tx) => sql.raw(statement).execute(tx));
      return true;
    },
  };
}

/** Numbers that were given out already and would be given again. */
export const counters: Check = {
  name: 'counters',
  look: (examined) =>
    inSnapshot(examined, async function* (snapshot) {
      for (const table of snapshot.tables) {
        yield* idsOf(examined, snapshot, table);
        yield* iidsOf(examined, snapshot, table);
      }
    }),
};

async function* idsOf({ database }: Examined, snapshot: Snapshot, { name, key, lastId }: CopiedTable) {
  const [column] = key;
  if (lastId === null || column === undefined || key.length > 1) return;
  const [{ most } = { most: null }] = await snapshot.query(
    `select max(${quoted(column)}) as most from ${quoted(name)}`,
  );
  if (most === null || Number(most) <= lastId) return;
  yield {
    text: `New rows of ${name} would be given numbers after ${lastId}, but there is ${most}`,
    mend: {
      text: 'go on after that',
      async run() {
        await database.transaction(async (tx) => {
          const { rows } = await sql<{
            most: number;
          }>`select max(${sql.ref(column)}) as most from ${sql.table(name)}`.execute(tx);
          await setLastId(tx, name, rows[0]!.most);
        });
        return true;
      },
    },
  };
}

/** `issues` count by `issue`, in each project or group. */
async function* iidsOf({ database }: Examined, snapshot: Snapshot, { name, columns }: CopiedTable) {
  const has = (column: string) => columns.some((each) => each.name === column);
  if (!has('iid')) return;
  const kind = name.replace(/s$/, '');
  for (const owner of ['project_id', 'group_id'].filter(has)) {
    const behind = await snapshot.query(
      `select found.owner, found.most, c.last from
         (select ${owner} as owner, max(iid) as most from ${quoted(name)} where ${owner} is not null group by ${owner}) found
         left join iid_counters c on c.${owner} = found.owner and c.kind = '${kind}'
       where c.last is null or c.last < found.most`,
    );
    for (const { owner: id, most, last } of behind) {
      yield {
        text: `${owner} ${id} would number its next ${kind} after ${last ?? 0}, but there is ${most}`,
        mend: {
          text: 'go on after that',
          run: async () => {
            await database.transaction((tx) => raise(tx, { owner, id: Number(id), kind, name }));
            return true;
          },
        },
      };
    }
  }
}

type Raised = { readonly owner: string; readonly id: number; readonly kind: string; readonly name: string };

async function raise(tx: Parameters<typeof setLastId>[0], { owner, id, kind, name }: Raised): Promise<void> {
  const [column, table] = [sql.ref(owner), sql.table(name)];
  const most = sql`(select max(iid) from ${table} where ${column} = ${id})`;
  const raised = await sql`update iid_counters set last = ${most}
    where ${column} = ${id} and kind = ${kind} and last < ${most} returning kind`.execute(tx);
  const there = await sql`select 1 from iid_counters where ${column} = ${id} and kind = ${kind}`.execute(tx);
  if (raised.rows.length > 0 || there.rows.length > 0) return;
  await sql`insert into iid_counters (${column}, kind, last) values (${id}, ${kind}, ${most})`.execute(tx);
}

/** Names by which rows are found, which are not those that are shown. */
export const keys: Check = {
  name: 'keys',
  look: (examined) =>
    inSnapshot(examined, async function* (snapshot) {
      for (const table of snapshot.tables) {
        for (const column of table.columns.map(({ name }) => name)) {
          if (table.columns.some(({ name }) => name === `${column}_key`))
            yield* foldedOf(examined, snapshot, table, column);
        }
      }
    }),
};

async function* foldedOf(examined: Examined, snapshot: Snapshot, table: CopiedTable, column: string) {
  const wanted = [...new Set([...table.key, column, `${column}_key`])];
  const columns = wanted.map((name) => table.columns.find((each) => each.name === name)!);
  const at = (name: string) => wanted.indexOf(name);
  for await (const rows of snapshot.rows({ ...table, columns })) {
    for (const row of rows) {
      const [name, key] = [row[at(column)], row[at(`${column}_key`)]] as (string | null)[];
      if (name === null || name === undefined || key === foldCase(name)) continue;
      const which = table.key.map((part) => `${part} ${row[at(part)]}`).join(', ');
      yield {
        text: `${table.name} ${which} is found by ${JSON.stringify(key)}, but its ${column} is ${JSON.stringify(name)}`,
        mend: {
          text: `let it be found by its ${column}`,
          run: () =>
            foldAnew(
              examined,
              table,
              column,
              table.key.map((part) => row[at(part)]),
            ),
        },
      };
    }
  }
}

/** False: another row is found by it already. */
async function foldAnew(
  { database }: Examined,
  { name, key }: CopiedTable,
  column: string,
  id: Values,
): Promise<boolean> {
  const same = sql.join(
    key.map((part, at) => sql`${sql.ref(part)} = ${id[at]}`),
    sql` and `,
  );
  try {
    await database.transaction(async (tx) => {
      const [table, folded] = [sql.table(name), sql.ref(`${column}_key`)];
      const { rows } = await sql<{
        name: string | null;
      }>`select ${sql.ref(column)} as name from ${table} where ${same}`.execute(tx);
      const text = rows[0]?.name;
      if (text != null) await sql`update ${table} set ${folded} = ${foldCase(text)} where ${same}`.execute(tx);
    });
    return true;
  } catch (error) {
    if (uniqueViolation(error) === null) throw error;
    return false;
  }
}
