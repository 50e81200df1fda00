import pg from 'pg';
import pgUtils from 'pg/lib/utils.js';
import type { Statement, StatementResult } from '../engine.ts';
import { type ResultColumn, RowMapper } from '../row-mapper.ts';

/** OIDs of types in `pg_type`. */
const INT8 = 20;
const NUMERIC = 1700;
const TEXT = 25;

/** Parses int8 (ids, counts) and numeric (sums) as numbers; ids stay far below 2^53. */
export const TYPE_PARSERS = {
  getTypeParser(id: number, format?: 'text' | 'binary') {
    if (id === INT8 || id === NUMERIC) return Number;
    // No query requests binary results; a binary value would stay unparsed.
    return pg.types.getTypeParser(format === 'binary' ? TEXT : id, 'text');
  },
};

/** The parser of texts, which returns them unchanged. */
const PARSE_TEXT = TYPE_PARSERS.getTypeParser(TEXT);

/** A statement of a batch, and the functions that settle its promise. */
export interface BatchedStatement {
  readonly statement: Statement;
  resolve(result: StatementResult): void;
  reject(error: unknown): void;
}

/** The mappers of the named statements that a connection has prepared. */
const mappersByConnection = new WeakMap<pg.Connection, Map<string, RowMapper>>();

const WRITE_COMMANDS = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/**
 * Several statements that PostgreSQL gets in one message and answers together: each message costs both sides more than most
 * statements. The result of a named statement is described once per connection. `pg` calls the `handle` methods.
 */
export class StatementBatch implements pg.Submittable {
  readonly #statements: readonly BatchedStatement[];
  /** The results of the statements that are complete. */
  readonly #results: StatementResult[] = [];
  #rows: StatementResult['rows'] = [];
  #mapper: RowMapper | undefined;
  #mappers = new Map<string, RowMapper>();
  readonly #finish: (skipped: readonly BatchedStatement[]) => void;

  /** Calls `finish` at the end, with the statements that were skipped because an earlier one failed. */
  constructor(statements: readonly BatchedStatement[], finish: (skipped: readonly BatchedStatement[]) => void) {
    this.#statements = statements;
    this.#finish = finish;
  }

  submit(connection: pg.Connection): void {
    this.#mappers = mappersByConnection.get(connection) ?? new Map();
    mappersByConnection.set(connection, this.#mappers);
    const protocol = connection as unknown as ExtendedProtocol;
    connection.stream.cork();
    for (const { statement } of this.#statements) this.#send(protocol, statement);
    protocol.sync();
    connection.stream.uncork();
    this.#begin();
  }

  #send(protocol: ExtendedProtocol, { sql, parameters, name = '' }: Statement): void {
    const isPrepared = this.#mappers.has(name);
    if (!isPrepared) {
      // The connection may have prepared it, if its first execution failed.
      if (name !== '') protocol.close({ type: 'S', name });
      protocol.parse({ name, text: sql });
    }
    protocol.bind({ statement: name, values: parameters, valueMapper: pgUtils.prepareValue });
    if (!isPrepared) protocol.describe({ type: 'P', name: '' });
    protocol.execute();
  }

  /** Prepares to receive the result of the next statement. */
  #begin(): void {
    this.#rows = [];
    this.#mapper = this.#mappers.get(this.#statements[this.#results.length]?.statement.name ?? '');
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    this.#mapper = new RowMapper(fields.map(toResultColumn));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#rows.push(this.#mapper!.toRow(fields));
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const { name } = this.#statements[this.#results.length]!.statement;
    if (name !== undefined) this.#mappers.set(name, this.#mapper ?? new RowMapper([]));
    const [command = '', ...counts] = text.split(' ');
    this.#results.push({
      rows: this.#rows,
      affected: WRITE_COMMANDS.has(command) ? Number(counts.at(-1)) : undefined,
    });
    this.#begin();
  }

  /** The statements after the failed one are not executed. */
  handleError(error: unknown): void {
    const position = this.#results.length;
    this.#resolveCompleted();
    this.#statements[position]?.reject(error);
    this.#finish(this.#statements.slice(position + 1));
  }

  handleReadyForQuery(): void {
    this.#resolveCompleted();
    this.#finish([]);
  }

  #resolveCompleted(): void {
    for (const [index, result] of this.#results.entries()) this.#statements[index]!.resolve(result);
  }
}

/** The messages of PostgreSQL's extended query protocol, which the types of `pg` do not describe. */
interface ExtendedProtocol {
  parse(message: { readonly name: string; readonly text: string }): void;
  bind(message: {
    readonly statement: string;
    readonly values: readonly unknown[];
    readonly valueMapper: (value: unknown) => unknown;
  }): void;
  describe(message: { readonly type: 'P'; readonly name: string }): void;
  close(message: { readonly type: 'S'; readonly name: string }): void;
  execute(): void;
  sync(): void;
}

function toResultColumn({ name, dataTypeID }: pg.FieldDef): ResultColumn {
  const parse = TYPE_PARSERS.getTypeParser(dataTypeID);
  return { name, convert: parse === PARSE_TEXT ? undefined : parse };
}
