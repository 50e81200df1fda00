import { sql } from 'kysely';
import type { Reader } from './database.ts';
import { prepareForIds } from './prepare.ts';
import type { Schema } from './schema.ts';

/** Maximum bytes of a text that is loaded together with the rows of its list. */
const MAX_SHORT_BYTES = 64 * 1024;
/** Maximum total bytes of a list's longer texts that are loaded eagerly too. */
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
  map<Result>(convert: (text: Value) => Result): LongText<Result> {
    return new LongText(async () => {
      const text = await this.read();
      return text === null ? null : convert(text);
    });
  }
}

/** Casts a lazy text to the type of its value, for code that only passes it on. */
const castToValue = <Value>(text: LongText<Value>) => text as unknown as Value;

/** Applies `convert` to a text, lazily if the value is actually a LongText. Callers may only pass the result on. */
export function mapLazyText<Result>(text: string, convert: (text: string) => Result): Result {
  const value: unknown = text;
  return value instanceof LongText ? castToValue((value as LongText).map(convert)) : convert(text);
}

/** The tables with this column. */
type TableWith<Column extends string> = {
  [Table in keyof Schema]: Column extends keyof Schema[Table] ? Table : never;
}[keyof Schema];

interface SizedText {
  readonly id: number;
  /** Null also for a text of more than `MAX_SHORT_BYTES`. */
  readonly text: string | null;
  /** Size of the text in bytes; null: no text. */
  readonly bytes: number | null;
}

/**
 * Creates a function that loads a user-written text column by row ids; statements that may find many rows leave this column
 * out. If the long texts are too large together, they stay lazy: pass them on, and read them with `mapLazyText` only.
 * index: primary keys
 *
 *   const loadDescriptions = createTextLoader('issues', 'description');
 *   const descriptions = await loadDescriptions(db, issues.map(({ id }) => id));
 */
export function createTextLoader<Column extends 'description' | 'body' | 'payload' | 'payload_example' | 'tags'>(
  table: TableWith<Column>,
  column: Column,
) {
  const columnRef = sql.ref<string | null>(column);
  const selectFromTable = (db: Reader) => db.selectFrom(table as 'issues');
  const shortTextSql = sql<
    string | null
  >`case when octet_length(${columnRef}) <= ${sql.lit(MAX_SHORT_BYTES)} then ${columnRef} end`;
  const loadSizedTexts = prepareForIds<SizedText>((db, ids) =>
    selectFromTable(db)
      .select(['id', shortTextSql.as('text'), sql<number | null>`octet_length(${columnRef})`.as('bytes')])
      .where('id', 'in', ids),
  );
  const loadFullTexts = prepareForIds<Pick<SizedText, 'id' | 'text'>>((db, ids) =>
    selectFromTable(db)
      .select(['id', columnRef.as('text')])
      .where('id', 'in', ids),
  );
  return async (db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, string | null>> => {
    const rows = await loadSizedTexts(db, [...new Set(ids)]);
    const texts = new Map(rows.map((row) => [row.id, row.text]));
    const longRows = rows.filter(({ text: shortText, bytes }) => shortText === null && bytes !== null);
    const totalBytes = longRows.reduce((sum, { bytes }) => sum + (bytes as number), 0);
    const createLazyText = (id: number) =>
      castToValue(new LongText(async () => (await loadFullTexts(db, [id]))[0]?.text ?? null));
    if (totalBytes > MAX_EAGER_BYTES) for (const { id } of longRows) texts.set(id, createLazyText(id));
    else if (longRows.length > 0) {
      const ids = longRows.map(({ id }) => id);
      for (const row of await loadFullTexts(db, ids)) texts.set(row.id, row.text);
    }
    return texts;
  };
}
