import { type Expression, sql } from 'kysely';
import type { Reader, Transaction } from './database.ts';
import type { Engine, Row, Soon, Statement } from './engine.ts';
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
 * Name the columns (no `selectAll`): PostgreSQL keeps the plan while another process migrates.
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
  const lengths = new Map<number, Prepared<Reader, Values & Record<string, number>, Result>>();
  const prepareFor = (length: number) => {
    const names = Array.from({ length }, (_, index) => `id${index}`);
    return prepare<Values & Record<string, number>, Result>((db, value) =>
      build(db, sql<number>`(${sql.join(names.map((name) => value(name)))})`, value as Params<Values>),
    );
  };
  return async (db, ids, ...[values]) => {
    const found: Result[] = [];
    for (let from = 0; from < ids.length; from += LONGEST_LIST) {
      const piece = ids.slice(from, from + LONGEST_LIST);
      const length = 2 ** Math.ceil(Math.log2(piece.length));
      const query = lengths.get(length) ?? prepareFor(length);
      lengths.set(length, query);
      const filled = Array.from({ length }, (_, index) => [`id${index}`, piece[Math.min(index, piece.length - 1)]!]);
      found.push(...(await query(db, { ...(values as Values), ...Object.fromEntries(filled) })));
    }
    return found;
  };
}

const LONGEST_LIST = 128;

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

let prepares = 0;

function prepared<Values, Result>(build: Build<Values, Result>): Prepared<Transaction, Values, Result> {
  const name = `hearth_${++prepares}`;
  const compiledFor = new Map<Engine['name'], Compiled>();
  const compile = (engine: Engine, db: Transaction): Compiled => {
    const known = compiledFor.get(engine.name);
    if (known) return known;
    const { sql: text, parameters } = build(db, (value) => sql.val(new Placeholder(value) as never)).compile();
    const compiled = { sql: text, parameters, name };
    compiledFor.set(engine.name, compiled);
    return compiled;
  };
  const filled = (db: Transaction, values: Values): Statement => {
    const compiled = compile(sessionOf(db).engine, db);
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? given(values, parameter.name) : parameter,
    );
    return { ...compiled, parameters };
  };
  const rowsOf = (db: Transaction, values: Values): Soon<Row[]> => {
    const result = sessionOf(db).connection.execute(filled(db, values));
    return result instanceof Promise ? result.then(({ rows }) => rows) : result.rows;
  };
  const all = async (db: Transaction, values: Values) => rowsOf(db, values) as Soon<Result[]>;
  return Object.assign(all, {
    async first(db: Transaction, values: Values) {
      const rows = rowsOf(db, values);
      return (rows instanceof Promise ? await rows : rows)[0] as Result | undefined;
    },
    query: (db: Transaction, values: Values) => ({ compile: () => filled(db, values) }),
  });
}

function given(values: unknown, name: string): unknown {
  const value = (values as Record<string, unknown>)[name];
  if (value === undefined) throw new Error(`The value ${name} of a prepared query is missing`);
  return value;
}
