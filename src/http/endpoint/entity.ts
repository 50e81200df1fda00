import type { KeyObject } from 'node:crypto';
import { type Static, type TObject, type TProperties, type TSchema, type TUnion, Type } from 'typebox';
import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { Git } from '#git/git.ts';
import type { Base } from '../request/base-url.ts';

/** To whom, where and with what rows are shown. */
export interface SerializationContext extends Base {
  readonly db: Reader;
  /** What refs say is a function of the database: they move only together with a commit. */
  readonly git: Git;
  readonly caller: Caller;
  /** Of secrets that are shown again. */
  readonly secretKey: () => Promise<KeyObject>;
  /** The parameters of the call, as its endpoint has declared them. */
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * What the API shows of a kind of rows: its schema, and the way from rows to shapes, in one value. Handlers return rows; the
 * answer's entity shows them. Keys that are not declared are an error in tests.
 */
export interface Entity<Row, Schema extends TSchema = TSchema> {
  readonly schema: Schema;
  /** The shapes of these rows in their order; what they need beside them is loaded for all of them at once. */
  serializeAll(rows: readonly Row[], to: SerializationContext): Promise<Static<Schema>[]>;
}

/** An entity that needs nothing but its row, so that other entities can show it inside themselves. */
export interface PlainEntity<Row, Schema extends TSchema = TSchema> extends Entity<Row, Schema> {
  serialize(row: Row, to: SerializationContext): Static<Schema>;
}

/** An entity before it is known what rows it is made from; as it is, it shows rows that have its shape already. */
export interface EntityBuilder<P extends TProperties> extends PlainEntity<Static<TObject<P>>, TObject<P>> {
  /** `show` makes the shape of one row. */
  from<Row>(show: (row: Row, to: SerializationContext) => Static<TObject<P>>): PlainEntity<Row, TObject<P>>;
  /** `load` reads what the rows of a whole list need beside them; `show` makes the shape of one with it. */
  from<Row, Loaded>(
    load: (rows: readonly Row[], to: SerializationContext) => Promise<Loaded>,
    show: (row: Row, to: SerializationContext, loaded: Loaded) => Static<TObject<P>>,
  ): Entity<Row, TObject<P>>;
}

/** `entity('Member', { access_level: Type.Integer(), ... }).from((row: MemberRow, to) => ({ ... }))` */
export function entity<P extends TProperties>(name: string, fields: P): EntityBuilder<P> {
  type Shape = Static<TObject<P>>;
  const schema = Type.Object(fields, { title: name, additionalProperties: false });
  const plain = <Row>(one: (row: Row, to: SerializationContext) => Shape): PlainEntity<Row, TObject<P>> => ({
    schema,
    serialize: one,
    serializeAll: async (rows, to) => rows.map((row) => one(row, to)),
  });
  const loading = <Row, Loaded>(
    load: (rows: readonly Row[], to: SerializationContext) => Promise<Loaded>,
    show: (row: Row, to: SerializationContext, loaded: Loaded) => Shape,
  ): Entity<Row, TObject<P>> => ({
    schema,
    async serializeAll(rows, to) {
      if (rows.length === 0) return [];
      const loaded = await load(rows, to);
      return rows.map((row) => show(row, to, loaded));
    },
  });
  const from = (first: never, second?: never) => (second === undefined ? plain(first) : loading(first, second));
  return { ...plain((row: Shape) => row), from: from as unknown as EntityBuilder<P>['from'] };
}

/** What is no object: the row is the answer. */
export function rawEntity<S extends TSchema>(schema: S): PlainEntity<Static<S>, S> {
  const one = (value: Static<S>) => value;
  return { schema, serialize: one, serializeAll: async (values) => values.map(one) };
}

/** Several forms of one kind of rows; `choose` says in which one a row is shown to this caller. */
export function variants<const Forms extends readonly Entity<never>[]>(
  forms: Forms,
  choose: (to: SerializationContext, row: RowOf<Forms[number]>) => Forms[number],
): Entity<RowOf<Forms[number]>, TUnion<SchemasOf<Forms>>> {
  type Row = RowOf<Forms[number]>;
  return {
    schema: Type.Union(forms.map(({ schema }) => schema)) as unknown as TUnion<SchemasOf<Forms>>,
    async serializeAll(rows: readonly Row[], to: SerializationContext) {
      const byForm = Map.groupBy(
        rows.map((row, index) => ({ row, index })),
        ({ row }) => choose(to, row),
      );
      const shapes: unknown[] = new Array(rows.length);
      for (const [form, some] of byForm) {
        const shown = await form.serializeAll(some.map(({ row }) => row) as never, to);
        for (const [at, { index }] of some.entries()) shapes[index] = shown[at];
      }
      return shapes as never;
    },
  };
}

/** Rows of two kinds, each with a form of its own. */
export function eitherEntity<A, S extends TSchema, B, T extends TSchema>(
  first: Entity<A, S>,
  second: Entity<B, T>,
  isFirst: (row: A | B) => boolean,
): Entity<A | B, TUnion<[S, T]>> {
  const forms = [first, second] as const;
  return variants(forms as never, (_to, row) => (isFirst(row as A | B) ? first : second) as never) as never;
}

type SchemasOf<Forms extends readonly Entity<never>[]> = { -readonly [K in keyof Forms]: Forms[K]['schema'] };

/** What an entity is made of: of several, what all of them can show. */
export type RowOf<E> = (E extends Entity<infer Row> ? (row: Row) => void : never) extends (row: infer Row) => void
  ? Row
  : never;
/** What an entity looks like on the wire. */
export type ShapeOf<E extends { readonly schema: TSchema }> = Static<E['schema']>;
