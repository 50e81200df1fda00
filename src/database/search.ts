import { type Expression, type QueryExecutorProvider, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from './database.ts';
import { type Dialect, engineOf } from './dialect.ts';
import { mayBeLong } from './long-statements.ts';
import { countRows } from './page.ts';

/** Parts of texts: how they are found in each row, or by an index of trigrams, which either engine has in its own way. */

/** `text` for use in a LIKE pattern where it means itself; the pattern goes through `like`. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/** Bytes of the longest pattern that SQLite takes. */
const LONGEST_PATTERN = 50_000;

/**
 * `column LIKE pattern`, case-sensitive on both engines: compare folded text in `*_key` columns. They hold names and paths,
 * so that nothing is like a pattern which is longer than an engine can take.
 */
export function like(column: Expression<string | null>, pattern: string): RawBuilder<SqlBool> {
  if (Buffer.byteLength(pattern) > LONGEST_PATTERN) return sql<SqlBool>`1 = 0`;
  // SQLite has no default escape character, PostgreSQL has the backslash. SQLite's LIKE folds ASCII letters, which makes
  // no difference for text that is folded already.
  return sql<SqlBool>`${column} like ${pattern} escape '\\'`;
}

/** Migrations: makes parts of the texts in folded columns findable by an index, for `containing`. */
export async function makeSearchable(
  db: QueryExecutorProvider,
  dialect: Dialect,
  table: string,
  columns: string | readonly string[],
): Promise<void> {
  await makeTrigrams(db, dialect, table, [columns].flat(), (text) => text);
}

/**
 * Migrations: the same for long texts, for `containingWords`. SQLite's index holds their beginnings, because somebody's
 * 1 MiB would keep it busy for seconds; rows that have more are few, and looked through.
 */
export async function makeWordsSearchable(
  db: QueryExecutorProvider,
  dialect: Dialect,
  table: string,
  columns: readonly string[],
): Promise<void> {
  await makeTrigrams(db, dialect, table, columns, (text) => sql`substr(${text}, 1, ${sql.lit(INDEXED)})`);
  if (dialect.engine === 'postgres') return;
  const name = sql.id(`${searchName(table, columns)}_long`);
  await sql`create index ${name} on ${sql.table(table)} (id) where ${isLongText(columns)}`.execute(db);
}

/**
 * Migrations: as `makeSearchable`, of rows that are written again and again. SQLite's index hears of texts that are other ones
 * than before, and of nothing else; PostgreSQL has none: it would write all parts of a row anew with whatever is written of it,
 * and its searches hold up nobody.
 */
export async function makeOftenWrittenSearchable(
  db: QueryExecutorProvider,
  dialect: Dialect,
  table: string,
  columns: readonly string[],
): Promise<void> {
  if (dialect.engine === 'postgres') return;
  const isOther = (column: string) => sql`${sql.ref(`old.${column}`)} is not ${sql.ref(`new.${column}`)}`;
  const when = sql`when ${sql.join(columns.map(isOther), sql` or `)}`;
  await makeTrigrams(db, dialect, table, columns, (text) => text, when);
}

/** Characters of a text that the index of its words holds. */
const INDEXED = 16_384;

/** Written out with its number, because only so does the index of the few rows that are so serve. */
function isLongText(columns: readonly string[]): RawBuilder<SqlBool> {
  const lengths = columns.map((column) => sql`coalesce(length(${sql.ref(column)}), 0)`);
  return sql<SqlBool>`${sql.join(lengths, sql` + `)} > ${sql.lit(INDEXED)}`;
}

async function makeTrigrams(
  db: QueryExecutorProvider,
  dialect: Dialect,
  table: string,
  names: readonly string[],
  indexed: (text: RawBuilder<unknown>) => RawBuilder<unknown>,
  when: RawBuilder<unknown> = sql``,
): Promise<void> {
  const [rows, name] = [sql.table(table), searchName(table, names)];
  if (dialect.engine === 'postgres') {
    await sql`create extension if not exists pg_trgm`.execute(db);
    const parts = sql.join(names.map((column) => sql`${sql.ref(column)} gin_trgm_ops`));
    await sql`create index ${sql.id(name)} on ${rows} using gin (${parts})`.execute(db);
    return;
  }
  // SQLite's trigrams are a table of its own, which triggers keep in step with the columns.
  const index = sql.table(name);
  const texts = sql.join(names.map((column) => sql.ref(column)));
  const of = (row: 'old' | 'new') => sql.join(names.map((column) => indexed(sql`${sql.ref(`${row}.${column}`)}`)));
  const add = sql`insert into ${index} (rowid, ${texts}) values (new.id, ${of('new')})`;
  const take = sql`insert into ${index} (${sql.ref(name)}, rowid, ${texts}) values ('delete', old.id, ${of('old')})`;
  const trigger = (suffix: string) => sql.id(`${name}_${suffix}`);
  await sql`create virtual table ${index} using fts5 (${texts}, content=${sql.lit(table)}, content_rowid='id', tokenize='trigram case_sensitive 1')`.execute(
    db,
  );
  await sql`create trigger ${trigger('add')} after insert on ${rows} begin ${add}; end`.execute(db);
  await sql`create trigger ${trigger('take')} after delete on ${rows} begin ${take}; end`.execute(db);
  await sql`create trigger ${trigger('change')} after update of ${texts} on ${rows} ${when} begin ${take}; ${add}; end`.execute(
    db,
  );
  await sql`insert into ${index} (${sql.ref(name)}) values ('rebuild')`.execute(db);
}

const searchName = (table: string, columns: readonly string[]) => `${table}_${columns.join('_')}_trigrams`;

/** Characters that an index of parts can look for. */
const SHORTEST_PART = 3;

/** Too short for the index: looked for in each row. */
export const isShortPart = (part: string): boolean => [...part].length < SHORTEST_PART;

/**
 * One of `columns` has this folded text somewhere inside. An index serves three characters and more where the migration
 * said `makeSearchable` of the same columns; the query calls the table by its own name.
 */
export function containing(
  db: Reader,
  table: string,
  columns: string | readonly string[],
  part: string,
): RawBuilder<SqlBool> {
  const names = [columns].flat();
  if (engineOf(db) === 'postgres' || isShortPart(part)) return containingUnindexed(table, names, part);
  return sql<SqlBool>`${sql.ref(`${table}.id`)} in (${idsContaining(db, table, names, part)})`;
}

/** The query for the ids of the rows that `containing` means, which are not read for it where the index tells them. */
export function idsContaining(
  db: Reader,
  table: string,
  columns: string | readonly string[],
  part: string,
): RawBuilder<{ id: number }> {
  const names = [columns].flat();
  if (engineOf(db) === 'postgres' || isShortPart(part)) {
    const [id, whole] = [sql.ref(`${table}.id`), sql.table(table)];
    return sql`select ${id} from ${whole} where ${containingUnindexed(table, names, part)}`;
  }
  // LIKE with an escape character is not served by the trigrams; a quoted phrase means the same.
  const index = sql.table(searchName(table, names));
  return sql`select rowid as id from ${index} where ${index} match ${phrase(part)}`;
}

/** Rows from which on a part is common. */
export const COMMON = 10_000;

/**
 * The same where it is PostgreSQL's expectation. Who gathers them counts them too; who looks through a table for as many as
 * are counted, `COMMON`, has to look at more than half of it, which takes longer.
 */
const MANY_EXPECTED = 2 * COMMON;

/**
 * Whether `containing` would find so many rows that whoever lists them in an order had better look through them in that
 * order (`containingUnindexed`) than gather them by the index. Nothing but a plan may depend on it.
 */
export async function isCommonIn(
  db: Reader,
  table: string,
  columns: string | readonly string[],
  part: string,
  counted: Counted = {},
): Promise<boolean> {
  // PostgreSQL's index gives no row before it has found all; what it expects to find it knows at once. What it expects of
  // two conditions that depend on each other is far off.
  if (engineOf(db) === 'sqlite' || counted.rows)
    return (await countContaining(db, table, columns, part, counted)) > COMMON;
  const found = containingUnindexed(table, [columns].flat(), part);
  const explain = sql<{
    'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }];
  }>`explain (format json) select 1 from ${sql.table(table)} where ${found} ${mayBeLong}`;
  const { rows } = await explain.execute(db);
  return rows[0]!['QUERY PLAN'][0].Plan['Plan Rows'] > MANY_EXPECTED;
}

/** Which of the rows that `countContaining` finds count. */
interface Counted {
  /** Asked of the row. */
  readonly rows?: RawBuilder<SqlBool>;
  /** Asked of its id alone, which spares reading the row. */
  readonly ids?: (id: RawBuilder<number>) => Expression<SqlBool>;
}

/** How many rows `containing` would find, counted no further than `COMMON` and one. */
export async function countContaining(
  db: Reader,
  table: string,
  columns: string | readonly string[],
  part: string,
  { rows, ids }: Counted = {},
): Promise<number> {
  const names = [columns].flat();
  const index = sql.table(searchName(table, names));
  const fits = (id: RawBuilder<number>) => ids?.(id) ?? sql<SqlBool>`1 = 1`;
  const found =
    engineOf(db) === 'postgres' || rows !== undefined
      ? eachContaining(db, table, names, part, sql`1`, [fits(sql.ref<number>(`${table}.id`)), ...(rows ? [rows] : [])])
      : sql`select 1 from ${index} where ${index} match ${phrase(part)} and ${fits(sql<number>`${index}.rowid`)}`;
  return countRows(db, sql`(${found} limit ${sql.lit(COMMON + 1)})`);
}

/**
 * `select tell` of the rows that `containing` means and that fulfil the conditions. They are read one by one, as the index
 * names them: whoever needs some of many says with a limit where it ends.
 */
export function eachContaining<Told>(
  db: Reader,
  table: string,
  columns: string | readonly string[],
  part: string,
  tell: RawBuilder<Told>,
  conditions: readonly Expression<SqlBool>[],
): RawBuilder<Told> {
  const names = [columns].flat();
  const whole = sql.table(table);
  const also = conditions.map((condition) => sql` and ${condition}`);
  if (engineOf(db) === 'postgres') {
    return sql`select ${tell} from ${whole} where ${containingUnindexed(table, names, part)}${sql.join(also, sql``)}`;
  }
  const index = sql.table(searchName(table, names));
  const each = sql`${index} cross join ${whole} on ${sql.ref(`${table}.id`)} = ${index}.rowid`;
  return sql`select ${tell} from ${each} where ${index} match ${phrase(part)}${sql.join(also, sql``)}`;
}

/** Of those that have a common part so many are looked at before the list is, to count it. */
const LOOKED_AT = 15_000;

/** Asked of a row's id. */
export type OfId = (id: RawBuilder<number>) => Expression<SqlBool>;

interface Fitting {
  readonly fits?: OfId | undefined;
  /** So many rows of the table do not fit at most; null: nobody knows. */
  readonly unfit?: number | null;
  readonly within?: OfId | null;
}

/**
 * Whether more than `COMMON` of the rows that have a common part fit besides; false: a short look at the newest of them, or of
 * those `within` bounds, does not tell. Without `fits` and bounds nothing else is asked of them.
 */
export async function surelyMany(
  db: Reader,
  table: string,
  columns: string | readonly string[],
  part: string,
  { fits, unfit = fits ? null : 0, within }: Fitting = {},
): Promise<boolean> {
  const names = [columns].flat();
  if (unfit !== null && !within) return hasManyEntries(db, table, names, part, unfit);
  // PostgreSQL's index gives no row before it has found all.
  if (engineOf(db) === 'postgres') return false;
  const index = sql.table(searchName(table, names));
  const bounds = within ? sql` and ${within(sql`${index}.rowid`)}` : sql``;
  const found = sql`select rowid as id from ${index} where ${index} match ${phrase(part)}${bounds}`;
  const newest = sql`${found} order by rowid desc limit ${sql.lit(LOOKED_AT)}`;
  const fit = fits ? fits(sql.ref<number>('looked.id')) : sql`1 = 1`;
  const fitting = sql`select 1 from (${newest}) looked where ${fit} limit ${sql.lit(COMMON + 1)}`;
  return (await countRows(db, sql`(${fitting})`)) > COMMON;
}

/** Whether an index alone tells of more rows with a common part than `COMMON` and some others. */
async function hasManyEntries(
  db: Reader,
  table: string,
  names: readonly string[],
  part: string,
  others: number,
): Promise<boolean> {
  const index = sql.table(searchName(table, names));
  // PostgreSQL reads rows for what its trigrams find, and none for a column that another index holds.
  const found =
    engineOf(db) === 'postgres'
      ? sql`select 1 from ${sql.table(table)} where ${containingUnindexed(table, names.slice(0, 1), part)}`
      : sql`select 1 from ${index} where ${index} match ${phrase(part)}`;
  const enough = COMMON + others + 1;
  return (await countRows(db, sql`(${found} limit ${sql.lit(enough)})`)) === enough;
}

/** As `containing`, by looking at each row. */
export function containingUnindexed(table: string, columns: readonly string[], part: string): RawBuilder<SqlBool> {
  const pattern = `%${escapeLike(part)}%`;
  const fits = columns.map((column) => like(sql<string>`${sql.ref(`${table}.${column}`)}`, pattern));
  return fits.length === 1 ? fits[0]! : sql<SqlBool>`(${sql.join(fits, sql` or `)})`;
}

/**
 * All of `words` (`searchWords`, folded) stand inside one and the same of `searched`, some of `columns`. Rows that have
 * the parts of words of three characters and more are found by the index, where the migration said `makeWordsSearchable` of the
 * same columns; whether they are together is looked at in each.
 */
export function containingWords(
  db: Reader,
  table: string,
  columns: readonly string[],
  words: readonly string[],
  searched = columns,
): RawBuilder<SqlBool> {
  const parts = new Set(words.flatMap(trigramsOf));
  if (parts.size === 0) return containingWordsUnindexed(db, table, searched, words);
  if (engineOf(db) === 'postgres') {
    return inOneOf(searched, words, (column, word) => containingUnindexed(table, [column], word));
  }
  const inEach = containingWordsUnindexed(db, table, searched, words);
  return sql<SqlBool>`(${sql.ref(`${table}.id`)} in (${withParts(table, columns, parts, searched)}) and ${inEach})`;
}

/**
 * As `containingWords`, where all rows of a place are looked for in no order; null: whoever asks looks at each, unless they
 * turn out to be few.
 */
export function containingWordsAtOnce(
  db: Reader,
  table: string,
  columns: readonly string[],
  words: readonly string[],
  searched = columns,
): RawBuilder<SqlBool> | null {
  // PostgreSQL knows how common a word is, and whether its index or a look at each row is less work.
  return engineOf(db) === 'sqlite' ? null : containingWords(db, table, columns, words, searched);
}

/**
 * The query for ids among which those are of all rows that `containingWords` means, which are not read for it; null where
 * the index does not tell.
 */
export function idsWithParts(
  db: Reader,
  table: string,
  columns: readonly string[],
  words: readonly string[],
  searched = columns,
): RawBuilder<{ id: number }> | null {
  const parts = new Set(words.flatMap(trigramsOf));
  return engineOf(db) === 'postgres' || parts.size === 0 ? null : withParts(table, columns, parts, searched);
}

/** Rows with all of these parts in some of the columns, and those of which the index does not know the whole. */
function withParts(
  table: string,
  columns: readonly string[],
  parts: ReadonlySet<string>,
  searched: readonly string[],
): RawBuilder<{ id: number }> {
  // Phrases would do without looking at the rows, but look at all places of a part that a text repeats, for each part of
  // the word: eight seconds for a text of 1 MiB that is made for it.
  const index = sql.table(searchName(table, columns));
  const all = [...parts].map(phrase).join(' AND ');
  const either = `{${searched.join(' ')}} : (${all})`;
  const found = sql`select rowid as id from ${index} where ${index} match ${either}`;
  const long = sql`select id from ${sql.table(table)} where ${isLongText(columns)}`;
  return sql`${found} union all ${long}`;
}

/** As `containingWords`, by looking at each row: for lists that are short, or looked through in their order. */
export function containingWordsUnindexed(
  db: Reader,
  table: string,
  searched: readonly string[],
  words: readonly string[],
): RawBuilder<SqlBool> {
  // SQLite's LIKE follows a word from every place of a text for as long as it goes on: seconds for a text of 1 MiB that is
  // made for it. Its instr compares bytes and takes 30 ms. PostgreSQL would ask its index for what is LIKE a word, and do so
  // again for each project: 23 s in a group of 10,000.
  return inOneOf(searched, words, (column, word) => hasInside(db, sql.ref(`${table}.${column}`), word));
}

/** `text` has this part, as it is written. No index serves it. */
export function hasInside(db: Reader, text: Expression<string>, part: string): RawBuilder<SqlBool> {
  const position = sql.raw(engineOf(db) === 'sqlite' ? 'instr' : 'strpos');
  return sql<SqlBool>`${position}(${text}, ${part}) > 0`;
}

/** All of the words are in one and the same column. */
function inOneOf(
  columns: readonly string[],
  words: readonly string[],
  isIn: (column: string, word: string) => RawBuilder<SqlBool>,
): RawBuilder<SqlBool> {
  if (words.length === 0) return sql<SqlBool>`1 = 1`;
  const inOne = (column: string) =>
    sql`(${sql.join(
      words.map((word) => isIn(column, word)),
      sql` and `,
    )})`;
  return sql<SqlBool>`(${sql.join(columns.map(inOne), sql` or `)})`;
}

/** Whether the index of `makeWordsSearchable` leads to rows with these words; else all have to be looked through. */
export const hasTrigrams = (words: readonly string[]): boolean => words.some((word) => trigramsOf(word).length > 0);

/** The parts of a word by which the index finds it; none of a short one. */
function trigramsOf(word: string): string[] {
  const characters = [...word];
  return characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(''));
}

const phrase = (part: string) => `"${part.replaceAll('"', '""')}"`;
