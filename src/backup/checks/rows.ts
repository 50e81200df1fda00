import { sql } from 'kysely';
import { getViolatedUniqueIndex } from '#database/constraint-violations.ts';
import {
  type CellValues,
  type DatabaseSnapshot,
  type ForeignKey,
  openSnapshot,
  quoteIdentifier,
  setLastId,
  type TableDefinition,
} from '#database/copy.ts';
import { foldCase } from '#database/name-keys.ts';
import { findSecretKey } from '#security/key-file.ts';
import { checkSecrets } from '#settings/secret-key-rotation.ts';
import { loadSecretKeyState } from '#settings/secret-key-state.ts';
import { describeKeyProblem } from '#settings/server-key.ts';
import { type Check, type CheckContext, describeParent, type Finding, type Repair } from './finding.ts';

// Checks of rows, derived from the database schema.

/** Runs a check on a snapshot of the database, and closes the snapshot. */
async function* withSnapshot(
  { database }: CheckContext,
  check: (snapshot: DatabaseSnapshot) => AsyncIterable<Finding>,
): AsyncGenerator<Finding> {
  const snapshot = await openSnapshot(database);
  try {
    yield* check(snapshot);
  } finally {
    await snapshot.close();
  }
}

/** Runs the integrity check of the engine. */
export const databaseCheck: Check = {
  name: 'database',
  run: (context) =>
    withSnapshot(context, async function* (snapshot) {
      const problems = await snapshot.checkIntegrity();
      // Each row that an index misses is a problem, but has the same cause.
      for (const [index, sameCause] of Map.groupBy(problems, (found) => found.index ?? found.problem)) {
        const more = sameCause.length > 1 ? ` (and ${sameCause.length - 1} more problems)` : '';
        const text = `The database is damaged: ${sameCause[0]!.problem}${more}`;
        if (sameCause[0]!.index === null) yield { text };
        else yield { text, repair: { text: `rebuild the index ${index}`, run: () => reindex(context, index) } };
      }
    }),
};

async function reindex({ database }: CheckContext, index: string): Promise<boolean> {
  await database.transaction((tx) => sql`reindex ${sql.ref(index)}`.execute(tx));
  return true;
}

/** Finds rows that refer to missing rows. One finding reports all rows that miss rows of the same table. */
export const referencesCheck: Check = {
  name: 'references',
  run: (context) =>
    withSnapshot(context, async function* (snapshot) {
      const danglingReferences: DanglingReference[] = [];
      for (const reference of await snapshot.listForeignKeys()) {
        const [{ count } = { count: 0 }] = await snapshot.query(
          `select count(*) as count from ${buildDanglingRowsSql(reference)}`,
        );
        if (Number(count) > 0) danglingReferences.push({ ...reference, count: Number(count) });
      }
      const isRepairable = ({ onDelete }: ForeignKey) => onDelete !== 'nothing';
      for (const sameCause of Map.groupBy(
        danglingReferences,
        (each) => `${each.parent} ${isRepairable(each)}`,
      ).values()) {
        const rows = sameCause.map(({ table, columns, count }) => `${count} rows of ${table} (${columns.join(', ')})`);
        const text = `${rows.join(', ')} refer to missing rows of ${sameCause[0]!.parent}`;
        yield isRepairable(sameCause[0]!) ? { text, repair: createReferenceRepair(context, sameCause) } : { text };
      }
    }),
};

/** A foreign key and the number of rows that refer to missing rows by it. */
interface DanglingReference extends ForeignKey {
  readonly count: number;
}

/** Returns the SQL that follows `from` or `delete from`: the rows of a table whose referenced rows are missing. */
function buildDanglingRowsSql({ table, columns, parent, parentColumns }: ForeignKey): string {
  const ownColumns = columns.map((column) => `${quoteIdentifier(table)}.${quoteIdentifier(column)}`);
  const keyCondition = parentColumns
    .map((column, index) => `referred.${quoteIdentifier(column)} = ${ownColumns[index]}`)
    .join(' and ');
  const notNull = ownColumns.map((column) => `${column} is not null`).join(' and ');
  return `${quoteIdentifier(table)} where ${notNull} and not exists (select 1 from ${quoteIdentifier(parent)} referred where ${keyCondition})`;
}

/** Returns a repair that applies the `on delete` actions of the foreign keys. */
function createReferenceRepair({ database }: CheckContext, references: readonly ForeignKey[]): Repair {
  const listTables = (onDelete: ForeignKey['onDelete']) =>
    [...new Set(references.filter((each) => each.onDelete === onDelete).map(({ table }) => table))].join(', ');
  const [deleted, cleared] = [listTables('cascade'), listTables('set null')];
  const texts = [deleted && `delete these rows of ${deleted}`, cleared && `clear these references of ${cleared}`];
  return {
    text: texts.filter(Boolean).join(' and '),
    async run() {
      await database.transaction(async (tx) => {
        for (const reference of references) await sql.raw(buildReferenceRepairSql(reference)).execute(tx);
      });
      return true;
    },
  };
}

function buildReferenceRepairSql(reference: ForeignKey): string {
  const danglingRowsSql = buildDanglingRowsSql(reference);
  if (reference.onDelete === 'cascade') return `delete from ${danglingRowsSql}`;
  const assignments = reference.columns.map((column) => `${quoteIdentifier(column)} = null`).join(', ');
  // `replace` changes the first `where`, the one of the outer statement.
  return `update ${danglingRowsSql.replace(' where ', ` set ${assignments} where `)}`;
}

/** Finds counters that would assign used numbers again. */
export const countersCheck: Check = {
  name: 'counters',
  run: (context) =>
    withSnapshot(context, async function* (snapshot) {
      for (const table of snapshot.tables) {
        yield* checkIds(context, snapshot, table);
        yield* checkIids(context, snapshot, table);
      }
    }),
};

/** Compares the counter of a table's ids with the highest id. */
async function* checkIds(
  { database }: CheckContext,
  snapshot: DatabaseSnapshot,
  { name, key, lastId }: TableDefinition,
): AsyncGenerator<Finding> {
  const [column] = key;
  if (lastId === null || column === undefined || key.length > 1) return;
  const [{ highest } = { highest: null }] = await snapshot.query(
    `select max(${quoteIdentifier(column)}) as highest from ${quoteIdentifier(name)}`,
  );
  if (highest === null || Number(highest) <= lastId) return;
  yield {
    text: `New rows of ${name} would get numbers after ${lastId}, but there is ${highest}`,
    repair: {
      text: 'raise the counter',
      async run() {
        await database.transaction(async (tx) => {
          const { rows } = await sql<{
            highest: number;
          }>`select max(${sql.ref(column)}) as highest from ${sql.table(name)}`.execute(tx);
          await setLastId(tx, name, rows[0]!.highest);
        });
        return true;
      },
    },
  };
}

/** Checks the iid counters of a table in each project or group. The counters of `issues` have the kind `issue`. */
async function* checkIids(
  context: CheckContext,
  snapshot: DatabaseSnapshot,
  { name, columns }: TableDefinition,
): AsyncGenerator<Finding> {
  const hasColumn = (column: string) => columns.some((candidate) => candidate.name === column);
  if (!hasColumn('iid')) return;
  const kind = name.replace(/s$/, '');
  for (const owner of (['project_id', 'group_id'] as const).filter(hasColumn)) {
    const outdated = await snapshot.query(
      `select highest_iids.owner, highest_iids.highest, counters.last from
         (select ${owner} as owner, max(iid) as highest from ${quoteIdentifier(name)} where ${owner} is not null group by ${owner}) highest_iids
         left join iid_counters counters on counters.${owner} = highest_iids.owner and counters.kind = '${kind}'
       where counters.last is null or counters.last < highest_iids.highest`,
    );
    for (const { owner: id, highest, last } of outdated) {
      yield {
        text: `The ${await describeParent(context, owner, Number(id))} would number its next ${kind} after ${last ?? 0}, but there is ${highest}`,
        repair: {
          text: 'raise the counter',
          run: async () => {
            await context.database.transaction((tx) => raiseIidCounter(tx, { owner, id: Number(id), kind, name }));
            return true;
          },
        },
      };
    }
  }
}

type IidCounter = { readonly owner: string; readonly id: number; readonly kind: string; readonly name: string };

/** Raises or inserts a counter, unless it was raised after the check. */
async function raiseIidCounter(
  tx: Parameters<typeof setLastId>[0],
  { owner, id, kind, name }: IidCounter,
): Promise<void> {
  const [column, table] = [sql.ref(owner), sql.table(name)];
  const highest = sql`(select max(iid) from ${table} where ${column} = ${id})`;
  const updatedCounters = await sql`update iid_counters set last = ${highest}
    where ${column} = ${id} and kind = ${kind} and last < ${highest} returning kind`.execute(tx);
  const existingCounters = await sql`select 1 from iid_counters where ${column} = ${id} and kind = ${kind}`.execute(tx);
  if (updatedCounters.rows.length > 0 || existingCounters.rows.length > 0) return;
  await sql`insert into iid_counters (${column}, kind, last) values (${id}, ${kind}, ${highest})`.execute(tx);
}

/** Finds folded search keys that do not match their names. */
export const foldedKeysCheck: Check = {
  name: 'keys',
  run: (context) =>
    withSnapshot(context, async function* (snapshot) {
      for (const table of snapshot.tables) {
        for (const column of table.columns.map(({ name }) => name)) {
          if (table.columns.some(({ name }) => name === `${column}_key`))
            yield* checkFoldedKeys(context, snapshot, table, column);
        }
      }
    }),
};

/** Compares the column `<column>_key` of each row with the folded value of the column. */
async function* checkFoldedKeys(
  context: CheckContext,
  snapshot: DatabaseSnapshot,
  table: TableDefinition,
  column: string,
): AsyncGenerator<Finding> {
  const names = [...new Set([...table.key, column, `${column}_key`])];
  const columns = names.map((name) => table.columns.find((candidate) => candidate.name === name)!);
  const getColumnIndex = (name: string) => names.indexOf(name);
  for await (const rows of snapshot.streamRows({ ...table, columns })) {
    for (const row of rows) {
      const [name, key] = [row[getColumnIndex(column)], row[getColumnIndex(`${column}_key`)]] as (string | null)[];
      if (name === null || name === undefined || key === foldCase(name)) continue;
      const rowKey = table.key.map((keyColumn) => `${keyColumn} ${row[getColumnIndex(keyColumn)]}`).join(', ');
      yield {
        text: `${table.name} ${rowKey} has the key ${JSON.stringify(key)}, but its ${column} is ${JSON.stringify(name)}`,
        repair: {
          text: `set the key from its ${column}`,
          run: () =>
            rewriteFoldedKey(
              context,
              table,
              column,
              table.key.map((keyColumn) => row[getColumnIndex(keyColumn)]),
            ),
        },
      };
    }
  }
}

/** Recomputes the folded key of a row from its name. Returns false if another row already has this key. */
async function rewriteFoldedKey(
  { database }: CheckContext,
  { name, key }: TableDefinition,
  column: string,
  keyValues: CellValues,
): Promise<boolean> {
  const keyCondition = sql.join(
    key.map((part, index) => sql`${sql.ref(part)} = ${keyValues[index]}`),
    sql` and `,
  );
  try {
    await database.transaction(async (tx) => {
      const [table, keyColumn] = [sql.table(name), sql.ref(`${column}_key`)];
      const { rows } = await sql<{
        name: string | null;
      }>`select ${sql.ref(column)} as name from ${table} where ${keyCondition}`.execute(tx);
      const text = rows[0]?.name;
      if (text != null)
        await sql`update ${table} set ${keyColumn} = ${foldCase(text)} where ${keyCondition}`.execute(tx);
    });
    return true;
  } catch (error) {
    if (getViolatedUniqueIndex(error) === null) throw error;
    return false;
  }
}

/** Finds a missing or wrong secret key, else stored secrets that the key does not decrypt. */
export const secretsCheck: Check = {
  name: 'secrets',
  async *run({ config, database }) {
    const state = await loadSecretKeyState(database.reader);
    const key = await findSecretKey(config);
    const problem = state && describeKeyProblem(config, key, state);
    if (problem !== null) return yield { text: problem };
    const { unreadable } = await checkSecrets(database.reader, key === null ? [] : [key]);
    for (const { column, count, firstKey } of unreadable)
      yield {
        text: `${count} secrets in ${column} cannot be decrypted with the secret key, the first has the id ${firstKey}`,
      };
  },
};
