import { type Expression, sql } from 'kysely';
import type { Reader, Transaction } from './database.ts';
import type { Engine, Row, Soon, Statement } from './engines/engine.ts';
import { sessionOf } from './sessions.ts';

/** Names the parameters of a prepared query, with their types. */
export type Params<Values> = <Name extends keyof Values & string>(name: Name) => Expression<Values[Name]>;

/** A query that Kysely compiles once for each engine; called, it costs no more than the statement. */
export interface Prepared<Handle, Values, Result> {
  /** All rows. */
  (db: Handle, values: Values): Promise<Result[]>;
  /** The first row. */
  first(db: Handle, values: Values): Promise<Result | undefined>;
  /** What would be run, for `planOf`. */
  query(db: Handle, values: Values): { compile(): { sql: string; parameters: readonly unknown[] } };
}

/**
 * A query that is run often. The parameters' types stand at the second argument:
 *
 *   const userByName = prepare((db, value: Params<{ key: string }>) =>
 *     db.selectFrom('users').select(['id', 'name']).where('username_key', '=', value('key')));
 *   const user = await userByName.first(db, { key: foldCase(name) });
 *
 * Name the columns: `selectAll` throws, because PostgreSQL keeps the plan while another process migrates.
 */
export function prepare<Values, Result>(
  build: (db: Reader, value: Params<Values>) => Compilable<Result>,
): Prepared<Reader, Values, Result> {
  return prepared(build as Build<Values, Result>) as unknown as Prepared<Reader, Values, Result>;
}

/** The same for an INSERT, UPDATE or DELETE. */
export function prepareWrite<Values, Result>(
  build: (tx: Transaction, value: Params<Values>) => Compilable<Result>,
): Prepared<Transaction, Values, Result> {
  return prepared(build);
}

/**
 * A query for a list of ids, `where('id', 'in', ids)`, and for other values where it has any: compiled once for each
 * power of two up to `longestList`; a list of another length is filled up with its last id, a longer one asked for in
 * pieces. No order of the whole.
 *
 *   const namesOf = prepareForIds((db, ids) => db.selectFrom('users').select(['id', 'name']).where('id', 'in', ids));
 */
export function prepareForIds<Result, Values = {}>(
  build: (db: Reader, ids: Expression<number>, value: Params<Values>) => Compilable<Result>,
): (db: Reader, ids: readonly number[], ...values: {} extends Values ? [] : [Values]) => Promise<Result[]> {
  const lengths = new Map<number, Query<Values>>();
  const queryFor = (length: number) => {
    const known = lengths.get(length);
    if (known) return known;
    const places = Array.from({ length }, (_, index) => sql.val(new PlaceOfId(index) as never));
    const made = query<Values>((db, value) => build(db, sql<number>`(${sql.join(places)})`, value));
    lengths.set(length, made);
    return made;
  };
  const rowsOf = (db: Reader, ids: readonly number[], values: Values): Soon<Row[]> =>
    queryFor(2 ** Math.ceil(Math.log2(ids.length))).rows(db as Transaction, values, ids);
  return async (db, ids, ...[given]) => {
    const values = given as Values;
    if (ids.length === 0) return [];
    if (ids.length <= LONGEST_LIST) {
      const rows = rowsOf(db, ids, values);
      // Not the array that is remembered.
      return [...(rows instanceof Promise ? await rows : rows)] as Result[];
    }
    const found: Row[] = [];
    for (let from = 0; from < ids.length; from += LONGEST_LIST) {
      found.push(...(await rowsOf(db, ids.slice(from, from + LONGEST_LIST), values)));
    }
    return found as Result[];
  };
}

const LONGEST_LIST = 128;

/** A row of a list of them, each column as an expression. */
type PlacesOf<Row> = { readonly [Column in keyof Row]: Expression<Row[Column]> };

/**
 * A statement for a list of rows: what stands in VALUES. Compiled once for each power of two up to `MOST_ROWS`; other lists are
 * done piece by piece, in their order, without a row too many.
 *
 *   const addCounters = prepareForRows(['name', 'value'], (tx, rows: RowsOf<{ name: string; value: number }>) =>
 *     tx.insertInto('counters').values(rows));
 *
 * Where it is only looked at what the rows say, `filled` makes one statement of a list by saying its last row again: what that
 * one finds may come several times.
 */
export function prepareForRows<Row extends object, Result>(
  columns: readonly (keyof Row & string)[],
  build: (tx: Transaction, rows: RowsOf<Row>) => Compilable<Result>,
  { filled = false }: { readonly filled?: boolean } = {},
): (tx: Transaction, rows: readonly Row[]) => Promise<Result[]> {
  const lengths = new Map<number, Query<unknown>>();
  const queryFor = (length: number) => {
    const known = lengths.get(length);
    if (known) return known;
    const places = Array.from({ length }, (_, index) =>
      Object.fromEntries(columns.map((name) => [name, sql.val(new PlaceInRow(index, name) as never)])),
    );
    const made = query<unknown>((tx) => build(tx, places as unknown as RowsOf<Row>));
    lengths.set(length, made);
    return made;
  };
  return async (tx, rows) => {
    const found: Result[] = [];
    for (let from = 0; from < rows.length; ) {
      const left = Math.log2(rows.length - from);
      const length = Math.min(MOST_ROWS, 2 ** (filled ? Math.ceil(left) : Math.floor(left)));
      found.push(...((await queryFor(length).rows(tx, {}, rows.slice(from, from + length))) as Result[]));
      from += length;
    }
    return found;
  };
}

export type RowsOf<Row> = readonly PlacesOf<Row>[];

/** An engine takes so many values in one statement, of which a row may have some hundreds. */
const MOST_ROWS = 64;

/** The rows in the order of these ids; what is missing is left out. */
export function inOrderOf<Row extends { readonly id: number }>(ids: readonly number[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

interface Compilable<Result> {
  compile(): { readonly sql: string; readonly parameters: readonly unknown[] };
  execute(): Promise<Result[]>;
}

type Build<Values, Result> = (tx: Transaction, value: Params<Values>) => Compilable<Result>;

interface Compiled {
  readonly sql: string;
  /** For each position either a constant or the name of a value. */
  readonly parameters: readonly unknown[];
  readonly name: string;
}

class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Where an id of a list stands. */
class PlaceOfId {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

/** Where a column of a row of a list stands. */
class PlaceInRow {
  readonly index: number;
  readonly column: string;
  constructor(index: number, column: string) {
    this.index = index;
    this.column = column;
  }
}

let prepares = 0;

interface Query<Values> {
  /** The statement with its values in it, and with these ids or rows where it asks for some: the last id fills what is left. */
  filled(db: Transaction, values: Values, list?: readonly unknown[]): Statement;
  rows(db: Transaction, values: Values, list?: readonly unknown[]): Soon<Row[]>;
}

/** What comes of `selectAll` and `returningAll`. */
const ALL_COLUMNS = /(?:select|returning|,|\.) ?\*/;

function query<Values>(build: Build<Values, unknown>): Query<Values> {
  const name = `hearth_${++prepares}`;
  const compiledFor = new Map<Engine['name'], Compiled>();
  const compile = (engine: Engine, db: Transaction): Compiled => {
    const known = compiledFor.get(engine.name);
    if (known) return known;
    const { sql: text, parameters } = build(db, (value) => sql.val(new Placeholder(value) as never)).compile();
    if (ALL_COLUMNS.test(text)) throw new Error(`A prepared query names its columns: ${text}`);
    const compiled = { sql: text, parameters, name };
    compiledFor.set(engine.name, compiled);
    return compiled;
  };
  const filled = (db: Transaction, values: Values, list: readonly unknown[] = []): Statement => {
    const { sql: text, parameters, name: known } = compile(sessionOf(db).engine, db);
    const put = (parameter: unknown) => {
      if (parameter instanceof Placeholder) return given(values, parameter.name);
      if (parameter instanceof PlaceInRow)
        return given(list[Math.min(parameter.index, list.length - 1)], parameter.column);
      return parameter instanceof PlaceOfId ? list[Math.min(parameter.index, list.length - 1)] : parameter;
    };
    return { sql: text, parameters: parameters.map(put), name: known };
  };
  return {
    filled,
    rows(db, values, list) {
      const result = sessionOf(db).connection.execute(filled(db, values, list));
      return result instanceof Promise ? result.then(({ rows }) => rows) : result.rows;
    },
  };
}

function prepared<Values, Result>(build: Build<Values, Result>): Prepared<Transaction, Values, Result> {
  const { rows, filled } = query(build);
  const all = async (db: Transaction, values: Values) => rows(db, values) as Soon<Result[]>;
  return Object.assign(all, {
    async first(db: Transaction, values: Values) {
      const found = rows(db, values);
      return (found instanceof Promise ? await found : found)[0] as Result | undefined;
    },
    query: (db: Transaction, values: Values) => ({ compile: () => filled(db, values) }),
  });
}

function given(values: unknown, name: string): unknown {
  const value = (values as Record<string, unknown>)[name];
  if (value === undefined) throw new Error(`The value ${name} of a prepared query is missing`);
  return value;
}
