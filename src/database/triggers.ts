import type { EngineSql } from './ddl.ts';

interface ColumnCopies {
  /** The table whose rows contain the copies. */
  readonly table: string;
  /** The column of `table` that refers to `source` by id. */
  readonly key: string;
  readonly source: string;
  /** Columns of `source`; `table` has columns with the same names. */
  readonly columns: readonly string[];
}

/**
 * Creates triggers that copy columns of a referenced row into the referring rows, so that an index can contain them, and
 * fills the copies of existing rows.
 */
export function columnCopies({ table, key, source, columns }: ColumnCopies): EngineSql {
  const list = (row?: string) => columns.map((column) => (row === undefined ? column : `${row}.${column}`)).join(', ');
  const assignments = columns.map((column) => `${column} = new.${column}`).join(', ');
  const updateCopies = `update ${table} set ${assignments} where ${key} = new.id`;
  const [onInsert, onUpdate] = [`${table}_copies`, `${table}_copies_of_${source}`];
  const fillCopies = (id: string) =>
    `update ${table} set (${list()}) = (select ${list()} from ${source} where ${source}.id = ${id})`;
  return (engine) => {
    if (engine === 'sqlite') {
      return `${fillCopies(`${table}.${key}`)};
create trigger ${onInsert} after insert on ${table} begin ${fillCopies(`new.${key}`)} where rowid = new.rowid; end;
create trigger ${onUpdate} after update of ${list()} on ${source} when (${list('old')}) is not (${list('new')}) begin ${updateCopies}; end;
`;
    }
    // A PostgreSQL trigger calls a function; a `before` trigger changes the row before it is inserted.
    return `${fillCopies(`${table}.${key}`)};
create function ${onInsert}() returns trigger language plpgsql as $$ begin select ${list()} into ${list('new')} from ${source} where id = new.${key}; return new; end $$;
create trigger ${onInsert} before insert on ${table} for each row execute function ${onInsert}();
create function ${onUpdate}() returns trigger language plpgsql as $$ begin ${updateCopies}; return new; end $$;
create trigger ${onUpdate} after update of ${list()} on ${source} for each row when ((${list('old')}) is distinct from (${list('new')})) execute function ${onUpdate}();
`;
  };
}

interface Trigger {
  /** Unique name of the trigger. */
  readonly name: string;
  /** The event that fires the trigger: `insert on labels`, `update of title, color on labels`. */
  readonly after: string;
}

/** Creates a trigger that runs a statement for each written row, whose columns are `new.x` and `old.x`. */
export function trigger({ name, after, run }: Trigger & { readonly run: string }): EngineSql {
  return (engine) =>
    engine === 'sqlite'
      ? `create trigger ${name} after ${after} begin ${run}; end;\n`
      : `create function ${name}() returns trigger language plpgsql as $$ begin ${run}; return null; end $$;
create trigger ${name} after ${after} for each row execute function ${name}();
`;
}

interface InsertTrigger extends Trigger {
  /** Condition on the row. */
  readonly when: string;
  /** Returns insert statements; `timestamp` is the current time of the database. */
  readonly insert: (timestamp: string) => readonly string[];
}

/**
 * Creates a trigger that inserts rows whenever rows of a table are written, by a statement or a cascade, in the same
 * transaction. The inserted rows get ascending ids in the order in which transactions become visible: a reader that asks for
 * ids "greater than the last" misses none.
 */
export function insertTrigger({ name, after, when, insert }: InsertTrigger): EngineSql {
  return (engine) => {
    if (engine === 'sqlite') {
      // SQLite has one writer: ids are in the order of commits.
      const statements = insert("strftime('%Y-%m-%dT%H:%M:%fZ', 'now')").join('; ');
      return `create trigger ${name} after ${after} when ${when} begin ${statements}; end;\n`;
    }
    // Deferred to the commit: ids are assigned under a lock that ends with the commit, so that no transaction holds the lock
    // while it waits for something else. The lock id is arbitrary, but differs from the one of `lockSchema`.
    const statements = insert(`to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`).join(
      '; ',
    );
    return `create function ${name}() returns trigger language plpgsql as $$ begin if ${when} then perform pg_advisory_xact_lock(4827193651); ${statements}; end if; return null; end $$;
create constraint trigger ${name} after ${after} deferrable initially deferred for each row execute function ${name}();
`;
  };
}
