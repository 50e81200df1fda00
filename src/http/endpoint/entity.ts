import type { KeyObject } from 'node:crypto';
import { type Static, type TObject, type TProperties, type TSchema, type TUnion, Type } from 'typebox';
import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { Git } from '#git/git.ts';
import { mapCooperatively } from '#runtime/yielding.ts';
import type { ServerContext } from '../request/incoming.ts';

/** Data and services that entities may use to serialize rows for one request. */
export interface SerializationContext extends ServerContext {
  readonly db: Reader;
  /** Reads repositories. Refs change only together with a commit of the database. */
  readonly git: Git;
  readonly caller: Caller;
  /** Decrypts secrets that a response shows again. */
  readonly secretKey: () => Promise<KeyObject>;
  /** The validated parameters of the call. */
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * The API representation of a type of row: a schema, and the function that serializes rows. Handlers return rows; the
 * entity of the response serializes them. Undeclared keys are an error in tests.
 */
export interface Entity<Row, Schema extends TSchema = TSchema> {
  readonly schema: Schema;
  /** Serializes the rows in their order; related rows are loaded for all of them together. */
  serializeAll(rows: readonly Row[], context: SerializationContext): Promise<Static<Schema>[]>;
}

/** An entity that needs only its row, so that other entities can embed it. */
interface SingleRowEntity<Row, Schema extends TSchema = TSchema> extends Entity<Row, Schema> {
  serialize(row: Row, context: SerializationContext): Static<Schema>;
}

/** An entity to which `from` adds a serializer. Without one it serializes rows that already have its shape. */
interface EntityBuilder<P extends TProperties>
  extends SingleRowEntity<Static<TObject<P>>, TObject<P>>,
    SerializerBuilder<P, unknown, Static<TObject<P>>> {
  /** Copies the fields of the entity from columns of the same names, and no other columns. */
  columns(): SingleRowEntity<Static<TObject<P>>, TObject<P>>;
  /** Copies these fields from columns of the same names; the serializer of `from` returns the others. The schema orders the fields. */
  columns<Name extends keyof P & keyof Static<TObject<P>> & string>(
    ...names: readonly Name[]
  ): SerializerBuilder<P, Pick<Static<TObject<P>>, Name>, Omit<Static<TObject<P>>, Name>>;
}

interface SerializerBuilder<P extends TProperties, MinimalRow, Serialized> {
  /** `serialize` serializes one row. */
  from<Row extends MinimalRow>(
    serialize: (row: Row, context: SerializationContext) => Serialized,
  ): SingleRowEntity<Row, TObject<P>>;
  /** `load` loads the related rows of a whole list; `serialize` serializes one row with them. */
  from<Row extends MinimalRow, Relations>(
    load: (rows: readonly Row[], context: SerializationContext) => Promise<Relations>,
    serialize: (row: Row, context: SerializationContext, relations: Relations) => Serialized,
  ): Entity<Row, TObject<P>>;
}

/** Declares an entity: `entity('Member', { access_level: Type.Integer(), ... }).from((row: MemberRow, context) => ({ ... }))` */
export function entity<P extends TProperties>(name: string, fields: P): EntityBuilder<P> {
  type Shape = Static<TObject<P>>;
  const schema = Type.Object(fields, { title: name, additionalProperties: false });
  const createSingleRowEntity = <Row>(
    serialize: (row: Row, context: SerializationContext) => Shape,
  ): SingleRowEntity<Row, TObject<P>> => ({
    schema,
    serialize,
    serializeAll: (rows, context) => serializeRows(rows, (row) => serialize(row, context)),
  });
  const createLoadingEntity = <Row, Relations>(
    load: (rows: readonly Row[], context: SerializationContext) => Promise<Relations>,
    serialize: (row: Row, context: SerializationContext, relations: Relations) => Shape,
  ): Entity<Row, TObject<P>> => ({
    schema,
    async serializeAll(rows, context) {
      if (rows.length === 0) return [];
      const relations = await load(rows, context);
      return serializeRows(rows, (row) => serialize(row, context, relations));
    },
  });
  const from = (loadOrSerialize: never, serialize?: never) =>
    serialize === undefined ? createSingleRowEntity(loadOrSerialize) : createLoadingEntity(loadOrSerialize, serialize);
  const columns = (...names: readonly string[]) => {
    const copy = createCopy<Shape>(Object.keys(fields), names.length === 0 ? Object.keys(fields) : names);
    const fromRest = (
      loadOrSerialize: (...input: readonly unknown[]) => never,
      serialize?: (...input: readonly unknown[]) => object,
    ) =>
      serialize === undefined
        ? createSingleRowEntity((row: object, context) => copy(row, loadOrSerialize(row, context)))
        : createLoadingEntity<object, unknown>(loadOrSerialize, (row, context, relations) =>
            copy(row, serialize(row, context, relations)),
          );
    return { ...createSingleRowEntity((row: Shape) => copy(row, {})), from: fromRest };
  };
  // One function implements both overloads of `from`, and one those of `columns`.
  return { ...createSingleRowEntity((row: Shape) => row), from, columns } as unknown as EntityBuilder<P>;
}

/**
 * Returns a function that takes the columns from its first argument and the other names from its second. It is compiled at the
 * first call to one object literal, so that the engine allocates the object in its final shape.
 */
function createCopy<Shape>(
  names: readonly string[],
  columns: readonly string[],
): (row: object, otherFields: object) => Shape {
  let copy: ((row: object, otherFields: object) => Shape) | undefined;
  const compile = () => {
    const columnNames = new Set(columns);
    const properties = names.map((name) => {
      const key = JSON.stringify(name);
      return `${key}: ${columnNames.has(name) ? 'row' : 'otherFields'}[${key}]`;
    });
    return new Function('row', 'otherFields', `return { ${properties.join(', ')} };`) as NonNullable<typeof copy>;
  };
  return (row, otherFields) => {
    copy ??= compile();
    return copy(row, otherFields);
  };
}

/** Number of rows up to which a list is serialized in one turn of the event loop: the largest page. */
const MAX_IMMEDIATE_ROWS = 100;

async function serializeRows<Row, Shape>(rows: readonly Row[], serialize: (row: Row) => Shape): Promise<Shape[]> {
  return rows.length <= MAX_IMMEDIATE_ROWS ? rows.map(serialize) : mapCooperatively(rows, serialize);
}

/** Declares an entity whose rows are sent as they are, with any schema. */
export function rawEntity<S extends TSchema>(schema: S): SingleRowEntity<Static<S>, S> {
  const identity = (value: Static<S>) => value;
  return { schema, serialize: identity, serializeAll: async (values) => values.map(identity) };
}

/** Combines several entities of one type of row; `choose` selects the entity for a row and caller. */
export function variants<const Entities extends readonly Entity<never>[]>(
  entities: Entities,
  choose: (context: SerializationContext, row: RowOf<Entities[number]>) => Entities[number],
): Entity<RowOf<Entities[number]>, TUnion<SchemasOf<Entities>>> {
  type Row = RowOf<Entities[number]>;
  return {
    schema: Type.Union(entities.map(({ schema }) => schema)) as unknown as TUnion<SchemasOf<Entities>>,
    async serializeAll(rows: readonly Row[], context: SerializationContext) {
      const rowsByEntity = Map.groupBy(
        rows.map((row, index) => ({ row, index })),
        ({ row }) => choose(context, row),
      );
      const serializedRows: unknown[] = new Array(rows.length);
      for (const [entity, indexedRows] of rowsByEntity) {
        // `choose` has selected the entity of these rows, which the types do not express.
        const rowsOfEntity = await entity.serializeAll(indexedRows.map(({ row }) => row) as never, context);
        for (const [position, { index }] of indexedRows.entries()) serializedRows[index] = rowsOfEntity[position];
      }
      return serializedRows as never;
    },
  };
}

/** Combines the entities of two types of rows. */
export function eitherEntity<A, S extends TSchema, B, T extends TSchema>(
  first: Entity<A, S>,
  second: Entity<B, T>,
  isFirst: (row: A | B) => boolean,
): Entity<A | B, TUnion<[S, T]>> {
  const entities = [first, second] as const;
  // `variants` expects entities of one row type; here `isFirst` selects the entity that accepts the row.
  return variants(entities as never, (_context, row) => (isFirst(row as A | B) ? first : second) as never) as never;
}

type SchemasOf<Entities extends readonly Entity<never>[]> = { -readonly [K in keyof Entities]: Entities[K]['schema'] };

/** The row type of an entity; of a union of entities, the type that all of them accept. */
export type RowOf<E> = (E extends Entity<infer Row> ? (row: Row) => void : never) extends (row: infer Row) => void
  ? Row
  : never;
/** The serialized type of an entity. */
export type ShapeOf<E extends { readonly schema: TSchema }> = Static<E['schema']>;
