import { type AliasedRawBuilder, createQueryId, type Expression, type RootOperationNode, sql } from 'kysely';
import type { Reader, Transaction } from './database.ts';
import type { Engine, MaybePromise, Row, Statement } from './engines/engine.ts';
import { PREPARED_COMPILERS } from './engines/query-compilers.ts';
import { getSession } from './sessions.ts';

/** Returns the placeholder of a named, typed parameter of a prepared query. */
export type Params<Values> = <Name extends keyof Values & string>(name: Name) => Expression<Values[Name]>;

/** A query that Kysely compiles once per engine, so that a call costs only the statement. */
interface PreparedQuery<Handle, Values, Result> {
  /** Returns all rows. */
  (db: Handle, values: Values): Promise<Result[]>;
  /** Returns the first row. */
  first(db: Handle, values: Values): Promise<Result | undefined>;
  /** Returns the query with these values without running it, for `explainPlan`. */
  query(db: Handle, values: Values): { compile(): { sql: string; parameters: readonly unknown[] } };
}

/**
 * Prepares a query that runs often. The type of the second parameter declares the query's parameters:
 *
 *   const findUserByName = prepare((db, value: Params<{ key: string }>) =>
 *     db.selectFrom('users').select(['id', 'name']).where('username_key', '=', value('key')));
 *   const user = await findUserByName.first(db, { key: foldCase(name) });
 *
 * The function runs once, so that other values in it are constants: they become literals (`engines/query-compilers.ts`).
 * Name the columns: `selectAll` throws, because PostgreSQL would keep its plan while another process migrates.
 */
export function prepare<Values, Result>(
  build: (db: Reader, value: Params<Values>) => Compilable<Result>,
): PreparedQuery<Reader, Values, Result> {
  return createPreparedQuery(build as Build<Values, Result>) as unknown as PreparedQuery<Reader, Values, Result>;
}

/** Prepares an INSERT, UPDATE or DELETE that runs often. */
export function prepareWrite<Values, Result>(
  build: (tx: Transaction, value: Params<Values>) => Compilable<Result>,
): PreparedQuery<Transaction, Values, Result> {
  return createPreparedQuery(build);
}

/**
 * Prepares a query for a list of ids, `where('id', 'in', ids)`, and optional other parameters. It is compiled for each power of
 * two up to `MAX_LIST_LENGTH`; shorter lists are padded with their last id, longer ones run in batches. The rows have no order.
 *
 *   const loadNames = prepareForIds((db, ids) => db.selectFrom('users').select(['id', 'name']).where('id', 'in', ids));
 */
export function prepareForIds<Result, Values = {}>(
  build: (db: Reader, ids: Expression<number>, value: Params<Values>) => Compilable<Result>,
): (db: Reader, ids: readonly number[], ...values: {} extends Values ? [] : [Values]) => Promise<Result[]> {
  const queriesByLength = new Map<number, CompiledQuery<Values>>();
  const getQuery = (length: number) => {
    const cachedQuery = queriesByLength.get(length);
    if (cachedQuery) return cachedQuery;
    const placeholders = Array.from({ length }, (_, index) => toParameter(new IdPlaceholder(index)));
    const compiledQuery = compileQuery<Values>((db, value) =>
      build(db, sql<number>`(${sql.join(placeholders)})`, value),
    );
    queriesByLength.set(length, compiledQuery);
    return compiledQuery;
  };
  const executeQuery = (db: Reader, ids: readonly number[], values: Values): MaybePromise<Row[]> =>
    getQuery(2 ** Math.ceil(Math.log2(ids.length))).execute(db as Transaction, values, ids);
  return async (db, ids, ...[parameterValues]) => {
    const values = parameterValues as Values;
    if (ids.length === 0) return [];
    if (ids.length <= MAX_LIST_LENGTH) {
      const rows = executeQuery(db, ids, values);
      // Copied, because the array may belong to the query cache, where it is frozen.
      return [...(rows instanceof Promise ? await rows : rows)] as Result[];
    }
    const foundRows: Row[] = [];
    for (let from = 0; from < ids.length; from += MAX_LIST_LENGTH)
      foundRows.push(...(await executeQuery(db, ids.slice(from, from + MAX_LIST_LENGTH), values)));
    return foundRows as Result[];
  };
}

/** Maximum number of ids per statement; further ids need further statements. */
const MAX_LIST_LENGTH = 128;

/** The placeholders of one row, one expression per column. */
type RowPlaceholders<Row> = { readonly [Column in keyof Row]: Expression<Row[Column]> };

/**
 * Prepares a statement for a list of rows (VALUES). It is compiled for each power of two up to `MAX_ROWS`; other lists run in
 * batches, in their order, without padding.
 *
 *   const addCounters = prepareForRows(['name', 'value'], (tx, rows: RowParameters<{ name: string; value: number }>) =>
 *     tx.insertInto('counters').values(rows));
 *
 * For statements that only read, `pad` pads the list with its last row, so that it needs one statement: results of that row
 * may then appear several times.
 */
export function prepareForRows<Row extends object, Result>(
  columns: readonly (keyof Row & string)[],
  build: (tx: Transaction, rows: RowParameters<Row>) => Compilable<Result>,
  { pad = false }: { readonly pad?: boolean } = {},
): (tx: Transaction, rows: readonly Row[]) => Promise<Result[]> {
  const queriesByLength = new Map<number, CompiledQuery<unknown>>();
  const getQuery = (length: number) => {
    const cachedQuery = queriesByLength.get(length);
    if (cachedQuery) return cachedQuery;
    const placeholders = Array.from({ length }, (_, index) =>
      Object.fromEntries(columns.map((name) => [name, toParameter(new CellPlaceholder(index, name))])),
    );
    const compiledQuery = compileQuery<unknown>((tx) => build(tx, placeholders as unknown as RowParameters<Row>));
    queriesByLength.set(length, compiledQuery);
    return compiledQuery;
  };
  return async (tx, rows) => {
    const results: Result[] = [];
    for (let from = 0; from < rows.length; ) {
      const exponent = Math.log2(rows.length - from);
      const length = Math.min(MAX_ROWS, 2 ** (pad ? Math.ceil(exponent) : Math.floor(exponent)));
      results.push(...((await getQuery(length).execute(tx, {}, rows.slice(from, from + length))) as Result[]));
      from += length;
    }
    return results;
  };
}

/** The placeholders of a list of rows. */
export type RowParameters<Row> = readonly RowPlaceholders<Row>[];

/** Maximum rows per statement: the engines limit the number of parameters, and a row may have hundreds. */
const MAX_ROWS = 64;

/** Sorts rows into the order of the ids; ids without a row are skipped. */
export function sortByIds<Row extends { readonly id: number }>(ids: readonly number[], rows: readonly Row[]): Row[] {
  const rowsById = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => rowsById.get(id) ?? []);
}

/** A query of Kysely whose rows have the type `Result`. */
interface Compilable<Result> {
  toOperationNode(): RootOperationNode;
  execute(): Promise<Result[]>;
}

/** Builds the query once per engine. */
type Build<Values, Result> = (tx: Transaction, value: Params<Values>) => Compilable<Result>;

interface CompiledStatement {
  readonly sql: string;
  /** A placeholder for each position, or a constant that has no literal. */
  readonly parameters: readonly unknown[];
  readonly name: string;
}

/** A named parameter. */
class ValuePlaceholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A parameter for the id at this position of the list. */
class IdPlaceholder {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

/** A parameter for a column of the row at this position of the list. */
class CellPlaceholder {
  readonly index: number;
  readonly column: string;
  constructor(index: number, column: string) {
    this.index = index;
    this.column = column;
  }
}

/** Number of prepared queries so far, for their names. */
let preparedCount = 0;

interface CompiledQuery<Values> {
  /** Returns the statement with its values and the ids or rows of `list`, whose last one pads missing positions. */
  bind(db: Transaction, values: Values, list?: readonly unknown[]): Statement;
  /** Runs the bound statement and returns its rows. */
  execute(db: Transaction, values: Values, list?: readonly unknown[]): MaybePromise<Row[]>;
}

/** Returns a parameter whose value is bound later. `never` is assignable to the type of every column. */
const toParameter = (placeholder: ValuePlaceholder | IdPlaceholder | CellPlaceholder) => sql.val(placeholder as never);

/** Matches the SQL of `selectAll` and `returningAll`. */
const ALL_COLUMNS = /(?:select|returning|,|\.) ?\*/;

function compileQuery<Values>(build: Build<Values, unknown>): CompiledQuery<Values> {
  const name = `hearth_${++preparedCount}`;
  const compiledByEngine = new Map<Engine['name'], CompiledStatement>();
  const compile = (engine: Engine, db: Transaction): CompiledStatement => {
    const cachedStatement = compiledByEngine.get(engine.name);
    if (cachedStatement) return cachedStatement;
    const query = build(db, (value) => toParameter(new ValuePlaceholder(value)));
    const compiler = PREPARED_COMPILERS[engine.name];
    const { sql: text, parameters } = compiler.compileQuery(query.toOperationNode(), createQueryId());
    if (ALL_COLUMNS.test(text)) throw new Error(`A prepared query must name its columns instead of using *: ${text}`);
    const compiled = { sql: text, parameters, name };
    compiledByEngine.set(engine.name, compiled);
    return compiled;
  };
  const bindStatement = (db: Transaction, values: Values, list: readonly unknown[] = []): Statement => {
    const { sql: text, parameters, name: statementName } = compile(getSession(db).engine, db);
    const bindParameter = (parameter: unknown) => {
      if (parameter instanceof ValuePlaceholder) return requireValue(values, parameter.name);
      if (parameter instanceof CellPlaceholder)
        return requireValue(list[Math.min(parameter.index, list.length - 1)], parameter.column);
      return parameter instanceof IdPlaceholder ? list[Math.min(parameter.index, list.length - 1)] : parameter;
    };
    return { sql: text, parameters: parameters.map(bindParameter), name: statementName };
  };
  return {
    bind: bindStatement,
    execute(db, values, list) {
      const result = getSession(db).connection.execute(bindStatement(db, values, list));
      return result instanceof Promise ? result.then(({ rows }) => rows) : result.rows;
    },
  };
}

function createPreparedQuery<Values, Result>(build: Build<Values, Result>): PreparedQuery<Transaction, Values, Result> {
  const { execute, bind } = compileQuery(build);
  const executeAll = async (db: Transaction, values: Values) => execute(db, values) as MaybePromise<Result[]>;
  return Object.assign(executeAll, {
    async first(db: Transaction, values: Values) {
      const rows = execute(db, values);
      return (rows instanceof Promise ? await rows : rows)[0] as Result | undefined;
    },
    query: (db: Transaction, values: Values) => ({ compile: () => bind(db, values) }),
  });
}

/** Returns the value of a parameter. Throws if it is missing. */
function requireValue(values: unknown, name: string): unknown {
  const value = (values as Record<string, unknown>)[name];
  if (value === undefined) throw new Error(`The value ${name} of a prepared query is missing`);
  return value;
}

/**
 * Builds a derived table named `given` from the rows of `prepareForRows`, to join other tables with them. `types` is needed, because
 * parameters in VALUES have no types.
 */
export function buildParameterTable<Row extends object>(
  rows: RowParameters<Row>,
  types: { readonly [Column in keyof Row]: 'bigint' | 'text' },
): AliasedRawBuilder<Row, 'given'> {
  const columns = Object.entries(types) as [keyof Row & string, string][];
  const valueRows = rows.map((row) => {
    const cells = columns.map(([name, type]) => sql`cast(${row[name]} as ${sql.raw(type)})`);
    return sql`(${sql.join(cells)})`;
  });
  // Both engines name the columns of VALUES column1, column2...
  const namedColumns = columns.map(([name], index) => sql`${sql.ref(`column${index + 1}`)} as ${sql.ref(name)}`);
  return sql<Row>`(select ${sql.join(namedColumns)} from (values ${sql.join(valueRows)}) as cells)`.as<'given'>(
    sql`given`,
  );
}
