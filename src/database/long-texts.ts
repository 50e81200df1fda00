import { sql } from 'kysely';
import type { Reader } from './database.ts';
import { prepareForIds } from './prepare.ts';
import type { Schema } from './schema.ts';

/** Bytes of a text that comes with the others of its list. */
const SHORT = 64 * 1024;
/** Bytes of longer ones that come at once, too: of all of a list together. */
const AT_ONCE = 4 * 2 ** 20;

/**
 * A text that is read when it is sent. A hundred rows may hold a mebibyte each: a list of them is never whole in memory,
 * however many clients ask for it at once.
 */
export class LongText<Value = string> {
  /** Null, too, when its row has gone meanwhile. */
  readonly read: () => Promise<Value | null>;

  constructor(read: () => Promise<Value | null>) {
    this.read = read;
  }

  /** Makes another text of it, or something else that has a form in JSON. */
  map<Made>(make: (text: Value) => Made): LongText<Made> {
    return new LongText(async () => {
      const text = await this.read();
      return text === null ? null : make(text);
    });
  }
}

/** To those who only pass it on, what it will be. */
const passedOn = <Value>(text: LongText<Value>) => text as unknown as Value;

/** Makes another text of one that may be long, or something else that is only passed on. */
export function mapText<Made>(text: string, make: (text: string) => Made): Made {
  const long: unknown = text;
  return long instanceof LongText ? passedOn((long as LongText).map(make)) : make(text);
}

type TableWith<Column extends string> = {
  [Table in keyof Schema]: Column extends keyof Schema[Table] ? Table : never;
}[keyof Schema];

interface Sized {
  readonly id: number;
  readonly text: string | null;
  readonly bytes: number | null;
}

/**
 * What the rows with these ids say in a column that users fill as they like: statements that may find many rows leave it
 * out. Those that are long come only when they are sent, where there are many of them: they may be passed on, and looked at
 * with `mapText` alone. index: primary keys
 *
 *   const descriptionsOf = textsOf('issues', 'description');
 *   const descriptions = await descriptionsOf(db, issues.map(({ id }) => id));
 */
export function textsOf<Column extends 'description' | 'body' | 'payload' | 'payload_example' | 'tags'>(
  table: TableWith<Column>,
  column: Column,
) {
  const text = sql.ref<string | null>(column);
  const from = (db: Reader) => db.selectFrom(table as 'issues');
  const short = sql<string | null>`case when octet_length(${text}) <= ${sql.lit(SHORT)} then ${text} end`;
  const sized = prepareForIds<Sized>((db, ids) =>
    from(db)
      .select(['id', short.as('text'), sql<number | null>`octet_length(${text})`.as('bytes')])
      .where('id', 'in', ids),
  );
  const whole = prepareForIds<Pick<Sized, 'id' | 'text'>>((db, ids) =>
    from(db)
      .select(['id', text.as('text')])
      .where('id', 'in', ids),
  );
  return async (db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, string | null>> => {
    const rows = await sized(db, [...new Set(ids)]);
    const texts = new Map(rows.map((row) => [row.id, row.text]));
    const long = rows.filter(({ text: known, bytes }) => known === null && bytes !== null);
    const together = long.reduce((sum, { bytes }) => sum + (bytes as number), 0);
    const later = (id: number) => passedOn(new LongText(async () => (await whole(db, [id]))[0]?.text ?? null));
    if (together > AT_ONCE) for (const { id } of long) texts.set(id, later(id));
    else if (long.length > 0) {
      const ids = long.map(({ id }) => id);
      for (const row of await whole(db, ids)) texts.set(row.id, row.text);
    }
    return texts;
  };
}
