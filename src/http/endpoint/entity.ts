import type { KeyObject } from 'node:crypto';
import { type Static, type TObject, type TProperties, type TSchema, type TUnion, Type } from 'typebox';
import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { Git } from '#git/git.ts';
import type { ServerContext } from '../request/base-url.ts';

/** What entities may use to serialize rows for one request. */
export interface SerializationContext extends ServerContext {
  readonly db: Reader;
  /** Refs are a function of the database: they change only together with a commit. */
  readonly git: Git;
  readonly caller: Caller;
  /** Decrypts secrets that a response shows again. */
  readonly secretKey: () => Promise<KeyObject>;
  /** The validated parameters of the call. */
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * The API representation of a kind of rows: its schema and the function that serializes rows. Handlers return rows; the entity
 * of the response serializes them. Undeclared keys are an error in tests.
 */
export interface Entity<Row, Schema extends TSchema = TSchema> {
  readonly schema: Schema;
  /** Serializes the rows in their order; related rows are loaded for all of them at once. */
  serializeAll(rows: readonly Row[], context: SerializationContext): Promise<Static<Schema>[]>;
}

/** An entity that needs only its row, so that other entities can embed it. */
export interface SingleRowEntity<Row, Schema extends TSchema = TSchema> extends Entity<Row, Schema> {
  serialize(row: Row, context: SerializationContext): Static<Schema>;
}

/** An entity without a serializer yet; used as it is, it serializes rows that have its shape already. */
export interface EntityBuilder<P extends TProperties> extends SingleRowEntity<Static<TObject<P>>, TObject<P>> {
  /** `serialize` serializes one row. */
  from<Row>(
    serialize: (row: Row, context: SerializationContext) => Static<TObject<P>>,
  ): SingleRowEntity<Row, TObject<P>>;
  /** `load` loads the related rows of a whole list; `serialize` serializes one row with them. */
  from<Row, Loaded>(
    load: (rows: readonly Row[], context: SerializationContext) => Promise<Loaded>,
    serialize: (row: Row, context: SerializationContext, loaded: Loaded) => Static<TObject<P>>,
  ): Entity<Row, TObject<P>>;
}

/** Declares an entity: `entity('Member', { access_level: Type.Integer(), ... }).from((row: MemberRow, to) => ({ ... }))` */
export function entity<P extends TProperties>(name: string, fields: P): EntityBuilder<P> {
  type Shape = Static<TObject<P>>;
  const schema = Type.Object(fields, { title: name, additionalProperties: false });
  const plain = <Row>(
    serialize: (row: Row, context: SerializationContext) => Shape,
  ): SingleRowEntity<Row, TObject<P>> => ({
    schema,
    serialize,
    serializeAll: async (rows, to) => rows.map((row) => serialize(row, to)),
  });
  const loading = <Row, Loaded>(
    load: (rows: readonly Row[], context: SerializationContext) => Promise<Loaded>,
    serialize: (row: Row, context: SerializationContext, loaded: Loaded) => Shape,
  ): Entity<Row, TObject<P>> => ({
    schema,
    async serializeAll(rows, to) {
      if (rows.length === 0) return [];
      const loaded = await load(rows, to);
      return rows.map((row) => serialize(row, to, loaded));
    },
  });
  const from = (first: never, second?: never) => (second === undefined ? plain(first) : loading(first, second));
  return { ...plain((row: Shape) => row), from: from as unknown as EntityBuilder<P>['from'] };
}

/** Declares an entity whose rows are sent as they are, with any schema. */
export function rawEntity<S extends TSchema>(schema: S): SingleRowEntity<Static<S>, S> {
  const one = (value: Static<S>) => value;
  return { schema, serialize: one, serializeAll: async (values) => values.map(one) };
}

/** Combines several entities of one kind of rows; `choose` selects the one for a row and caller. */
export function variants<const Forms extends readonly Entity<never>[]>(
  forms: Forms,
  choose: (context: SerializationContext, row: RowOf<Forms[number]>) => Forms[number],
): Entity<RowOf<Forms[number]>, TUnion<SchemasOf<Forms>>> {
  type Row = RowOf<Forms[number]>;
  return {
    schema: Type.Union(forms.map(({ schema }) => schema)) as unknown as TUnion<SchemasOf<Forms>>,
    async serializeAll(rows: readonly Row[], context: SerializationContext) {
      const byForm = Map.groupBy(
        rows.map((row, index) => ({ row, index })),
        ({ row }) => choose(context, row),
      );
      const shapes: unknown[] = new Array(rows.length);
      for (const [form, some] of byForm) {
        const serialized = await form.serializeAll(some.map(({ row }) => row) as never, context);
        for (const [at, { index }] of some.entries()) shapes[index] = serialized[at];
      }
      return shapes as never;
    },
  };
}

/** Combines the entities of two kinds of rows. */
export function eitherEntity<A, S extends TSchema, B, T extends TSchema>(
  first: Entity<A, S>,
  second: Entity<B, T>,
  isFirst: (row: A | B) => boolean,
): Entity<A | B, TUnion<[S, T]>> {
  const forms = [first, second] as const;
  return variants(forms as never, (_to, row) => (isFirst(row as A | B) ? first : second) as never) as never;
}

type SchemasOf<Forms extends readonly Entity<never>[]> = { -readonly [K in keyof Forms]: Forms[K]['schema'] };

/** The row type of an entity; of a union of entities, the type that all of them accept. */
export type RowOf<E> = (E extends Entity<infer Row> ? (row: Row) => void : never) extends (row: infer Row) => void
  ? Row
  : never;
/** The serialized type of an entity. */
export type ShapeOf<E extends { readonly schema: TSchema }> = Static<E['schema']>;
