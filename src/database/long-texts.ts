import { sql } from 'kysely';
import type { Reader } from './database.ts';
import { prepareForIds } from './prepare.ts';
import type { Schema } from './schema.ts';

/** Maximum bytes of a text that is loaded together with the rows of its list. */
const MAX_SHORT_BYTES = 64 * 1024;
/** Maximum total bytes of the longer texts of a list that are loaded at once, too. */
const MAX_EAGER_BYTES = 4 * 2 ** 20;

/**
 * A text that is loaded only when it is sent. A hundred rows may hold one MiB each: such a list is never completely in memory,
 * however many clients request it.
 */
export class LongText<Value = string> {
  /** Loads the text; also null if its row was deleted meanwhile. */
  readonly read: () => Promise<Value | null>;

  constructor(read: () => Promise<Value | null>) {
    this.read = read;
  }

  /** Returns a lazy text, or other JSON value, that is computed from this one. */
  map<Made>(make: (text: Value) => Made): LongText<Made> {
    return new LongText(async () => {
      const text = await this.read();
      return text === null ? null : make(text);
    });
  }
}

/** Gives a lazy text the type of its value, for code that only passes it on. */
const asOpaqueText = <Value>(text: LongText<Value>) => text as unknown as Value;

/** Maps a text that may be lazy. Callers may only pass the result on. */
export function mapText<Made>(text: string, make: (text: string) => Made): Made {
  const long: unknown = text;
  return long instanceof LongText ? asOpaqueText((long as LongText).map(make)) : make(text);
}

type TableWith<Column extends string> = {
  [Table in keyof Schema]: Column extends keyof Schema[Table] ? Table : never;
}[keyof Schema];

interface SizedText {
  readonly id: number;
  readonly text: string | null;
  readonly bytes: number | null;
}

/**
 * Creates a function that loads a user-written text column by row ids; statements that may find many rows leave this column
 * out. If the long texts are too large together, they stay lazy: pass them on, and read them with `mapText` only.
 * index: primary keys
 *
 *   const loadDescriptions = createTextLoader('issues', 'description');
 *   const descriptions = await loadDescriptions(db, issues.map(({ id }) => id));
 */
export function createTextLoader<Column extends 'description' | 'body' | 'payload' | 'payload_example' | 'tags'>(
  table: TableWith<Column>,
  column: Column,
) {
  const text = sql.ref<string | null>(column);
  const from = (db: Reader) => db.selectFrom(table as 'issues');
  const short = sql<string | null>`case when octet_length(${text}) <= ${sql.lit(MAX_SHORT_BYTES)} then ${text} end`;
  const loadSizedTexts = prepareForIds<SizedText>((db, ids) =>
    from(db)
      .select(['id', short.as('text'), sql<number | null>`octet_length(${text})`.as('bytes')])
      .where('id', 'in', ids),
  );
  const loadFullTexts = prepareForIds<Pick<SizedText, 'id' | 'text'>>((db, ids) =>
    from(db)
      .select(['id', text.as('text')])
      .where('id', 'in', ids),
  );
  return async (db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, string | null>> => {
    const rows = await loadSizedTexts(db, [...new Set(ids)]);
    const texts = new Map(rows.map((row) => [row.id, row.text]));
    const long = rows.filter(({ text: knownText, bytes }) => knownText === null && bytes !== null);
    const totalBytes = long.reduce((sum, { bytes }) => sum + (bytes as number), 0);
    const createLazyText = (id: number) =>
      asOpaqueText(new LongText(async () => (await loadFullTexts(db, [id]))[0]?.text ?? null));
    if (totalBytes > MAX_EAGER_BYTES) for (const { id } of long) texts.set(id, createLazyText(id));
    else if (long.length > 0) {
      const ids = long.map(({ id }) => id);
      for (const row of await loadFullTexts(db, ids)) texts.set(row.id, row.text);
    }
    return texts;
  };
}
