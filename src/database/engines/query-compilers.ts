import {
  type BinaryOperationNode,
  ColumnNode,
  type DefaultQueryCompiler,
  type LimitNode,
  type OffsetNode,
  type OperationNode,
  PostgresQueryCompiler,
  type QueryCompiler,
  ReferenceNode,
  type SelectType,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely';
import type { Schema } from '../schema.ts';
import type { EngineName } from './engine.ts';

/*
 * SQLite chooses plans by the values of some parameters: those of LIMIT and OFFSET, and those compared with a column of a partial
 * index. It plans such a statement again at each run, which costs more than most reads. Literals avoid that. Only constants of the
 * source and validated integers become literals. Values from clients are always parameters.
 */

// SQLite stores 0 and 1, and does not recognize `true` in the condition of a partial index.
const SQLITE_LITERALS = { booleans: ['0', '1'], wrapCounts: true } as const;
const POSTGRES_LITERALS = { booleans: ['false', 'true'], wrapCounts: false } as const;

/** Text columns that occur in conditions of partial indexes. */
const NAME_COLUMNS: ReadonlySet<string> = new Set<NameColumn>([
  'imported_from',
  'issue_type',
  'kind',
  'state',
  'status',
]);

/** The values of these columns. */
const NAMES: Readonly<Record<Name, true>> = {
  acknowledged: true,
  active: true,
  approved: true,
  available: true,
  banned: true,
  blocked: true,
  blocked_pending_approval: true,
  canceled: true,
  canceling: true,
  'cleanup failed': true,
  closed: true,
  collected: true,
  created: true,
  deactivated: true,
  dead: true,
  done: true,
  empty: true,
  enqueued: true,
  failed: true,
  finished: true,
  gitlab_migration: true,
  group: true,
  held: true,
  ignored: true,
  incident: true,
  issue: true,
  ldap_blocked: true,
  leaving: true,
  locked: true,
  manual: true,
  merged: true,
  none: true,
  opened: true,
  overflow: true,
  pending: true,
  preparing: true,
  queued: true,
  rejected: true,
  replicated: true,
  requested_changes: true,
  resolved: true,
  review_started: true,
  reviewed: true,
  running: true,
  scheduled: true,
  sending: true,
  sent: true,
  skipped: true,
  started: true,
  stopped: true,
  stopping: true,
  success: true,
  synced: true,
  task: true,
  test_case: true,
  timeout: true,
  triggered: true,
  unapproved: true,
  unresolved: true,
  unreviewed: true,
  user: true,
  waiting_for_callback: true,
  waiting_for_resource: true,
};

type NameColumn = 'imported_from' | 'issue_type' | 'kind' | 'state' | 'status';
type Name =
  | { [Table in keyof Schema]: NamesOf<Omit<Schema[Table], 'kind'>> }[keyof Schema]
  | NamesOf<Pick<Schema['namespaces'], 'kind'>>;
type NamesOf<Table> = {
  [Column in NameColumn]: Column extends keyof Table ? NamesIn<SelectType<Table[Column]>> : never;
}[NameColumn];
type NamesIn<Value> = string extends Value ? never : Exclude<Value, null>;

/**
 * Compiles queries with values of requests. Only compared booleans and `NAMES`, and the maximum number of rows, become
 * literals: an INSERT with many booleans would otherwise have very many texts.
 */
export const AD_HOC_COMPILERS: Readonly<Record<EngineName, () => QueryCompiler>> = {
  sqlite: () => new (extendCompiler(SqliteQueryCompiler, SQLITE_LITERALS))(),
  postgres: () => new (extendCompiler(PostgresQueryCompiler, POSTGRES_LITERALS))(),
};

/** Compiles queries of `prepare`: all their values except for placeholders are constants of the source, and become literals. */
export const PREPARED_COMPILERS: Readonly<Record<EngineName, QueryCompiler>> = {
  sqlite: new (extendCompiler(SqliteQueryCompiler, { ...SQLITE_LITERALS, constants: true }))(),
  postgres: new (extendCompiler(PostgresQueryCompiler, { ...POSTGRES_LITERALS, constants: true }))(),
};

interface LiteralOptions {
  /** The literals of false and true. */
  readonly booleans: readonly [string, string];
  /** Whether a parameter of LIMIT and OFFSET becomes an expression, at whose value the planner does not look. */
  readonly wrapCounts: boolean;
  /** Whether all values are constants. */
  readonly constants?: boolean;
}

function extendCompiler(
  Compiler: new () => DefaultQueryCompiler,
  { booleans, wrapCounts, constants = false }: LiteralOptions,
) {
  return class extends Compiler {
    /**
     * The operand with which the values being compiled are compared: a column of `NAME_COLUMNS`, something else, or
     * nothing.
     */
    #comparedWith: 'name' | 'other' | null = null;

    protected override appendValue(value: unknown): void {
      const literal = this.#toLiteral(value);
      if (literal === undefined) super.appendValue(value);
      else this.append(literal);
    }

    protected override visitBinaryOperation(node: BinaryOperationNode): void {
      const outer = this.#comparedWith;
      this.#comparedWith = isNameColumn(node.leftOperand) ? 'name' : 'other';
      super.visitBinaryOperation(node);
      this.#comparedWith = outer;
    }

    protected override visitLimit({ limit }: LimitNode): void {
      this.append('limit ');
      if (ValueNode.is(limit) && isCount(limit.value)) this.append(String(limit.value));
      else this.#appendCount(limit);
    }

    // An offset is not a literal: each page of a list would be a statement of its own.
    protected override visitOffset({ offset }: OffsetNode): void {
      this.append('offset ');
      this.#appendCount(offset);
    }

    #appendCount(count: OperationNode): void {
      this.append(wrapCounts ? '(0 + ' : '');
      this.visitNode(count);
      this.append(wrapCounts ? ')' : '');
    }

    /** Returns the literal of a value; undefined if it must be a parameter. */
    #toLiteral(value: unknown): string | undefined {
      if (typeof value === 'boolean')
        return constants || this.#comparedWith !== null ? booleans[value ? 1 : 0] : undefined;
      if (typeof value === 'string') {
        const isName = this.#comparedWith === 'name' && Object.hasOwn(NAMES, value);
        const isConstant = constants ? LITERAL_TEXT.test(value) : isName;
        return isConstant ? `'${value.replaceAll("'", "''")}'` : undefined;
      }
      if (!constants) return undefined;
      return value === null ? 'null' : isCount(value) ? String(value) : undefined;
    }
  };
}

/** Text that a literal may contain: printable ASCII characters without the backslash. */
const LITERAL_TEXT = /^[ -[\]-~]*$/;

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isNameColumn(node: OperationNode): boolean {
  return ReferenceNode.is(node) && ColumnNode.is(node.column) && NAME_COLUMNS.has(node.column.column.name);
}
