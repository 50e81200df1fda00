import type { Readable } from 'node:stream';
import { type TObject, type TProperties, type TSchema, Type } from 'typebox';
import type { Page } from '../lists/page.ts';
import type { Entity, RowOf, SerializationContext } from './entity.ts';

/**
 * What an endpoint answers: the status and the wire shape, as one value. From it come the status line, the check that
 * tests make on every answer, and the OpenAPI entry.
 */
export interface ResponseType<Result = unknown> {
  readonly kind: 'entity' | 'list' | 'page' | 'text' | 'nothing' | 'stream' | 'html' | 'redirect';
  readonly status: number;
  readonly schema: TSchema | null;
  /** Shows the rows that the handler hands over; absent where it hands over the answer itself. */
  readonly entity?: Entity<never>;
  /** Only for the type checker: what the handler hands over. */
  readonly result?: Result;
}

/** A named wire shape. Keys that are not declared are an error in tests. */
export function shape<P extends TProperties>(name: string, fields: P): TObject<P> {
  return Type.Object(fields, { title: name, additionalProperties: false });
}

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
/** The field that shows what a parameter has set: rows may be older than the parameter's limit. */
export const fieldOf = (parameter: TSchema): TSchema => ('maxLength' in parameter ? Type.String() : parameter);
/** ISO 8601, UTC, milliseconds. */
export const dateTime = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' });
/** `YYYY-MM-DD`. */
export const date = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' });

/** 200 with one row, shown. */
export const ok = <E extends Entity<never>>(entity: E): ResponseType<RowOf<E>> => ({
  kind: 'entity',
  status: 200,
  schema: entity.schema,
  entity,
});
/** 200 with all rows of a list, shown; not paginated. */
export const list = <E extends Entity<never>>(entity: E): ResponseType<readonly RowOf<E>[]> => ({
  kind: 'list',
  status: 200,
  schema: Type.Array(entity.schema),
  entity,
});
/** 200 with one page of a list, shown, and the pagination headers of contract/conventions.md §6. */
export const page = <E extends Entity<never>>(entity: E): ResponseType<Page<RowOf<E>>> => ({
  kind: 'page',
  status: 200,
  schema: Type.Array(entity.schema),
  entity,
});

/** 201 with the created row, shown. */
export const created = <E extends Entity<never>>(entity: E): ResponseType<RowOf<E>> => ({ ...ok(entity), status: 201 });

export const Message = shape('Message', { message: Type.String() });
/** 202 `{"message":"202 Accepted"}`: scheduled, not done. */
export const accepted: ResponseType<void> = { kind: 'entity', status: 202, schema: Message };
/** 204 without body. */
export const noContent: ResponseType<void> = { kind: 'nothing', status: 204, schema: null };
/** Bytes; the handler says which headers. */
export const stream: ResponseType<StreamReply> = { kind: 'stream', status: 200, schema: null };
/** 200 with a page, or a way to another one. */
export const html: ResponseType<HtmlReply | RedirectReply> = { kind: 'html', status: 200, schema: null };
/** 302 to another page, or a page that says why not. */
export const redirect: ResponseType<HtmlReply | RedirectReply> = { kind: 'redirect', status: 302, schema: null };
export const text: ResponseType<string> = { kind: 'text', status: 200, schema: null };

export interface StreamReply {
  readonly status?: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Absent for an answer to HEAD, or one without a body. */
  readonly body?: Readable | Uint8Array | string;
}

export interface HtmlReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

/** 302. */
export interface RedirectReply {
  /** A path of this server (`localUrl`), or the whole address of another one. */
  readonly location: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** What the handler handed over, as the answer's entity shows it; without one, as it is. */
export async function serializeResponse(
  { kind, entity }: ResponseType,
  result: unknown,
  to: SerializationContext,
): Promise<unknown> {
  if (entity === undefined) return result;
  if (result instanceof Reply) {
    return new Reply(await serializeResponse({ kind, entity } as ResponseType, result.value, to), result);
  }
  const all = (rows: unknown) => entity.serializeAll(rows as never[], to);
  if (kind === 'page') return { ...(result as Page<unknown>), items: await all((result as Page<unknown>).items) };
  return kind === 'list' ? all(result) : (await all([result]))[0];
}

/** An object together with headers or another status than the declared one. */
export class Reply<T> {
  readonly value: T;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;

  constructor(
    value: T,
    options: { status?: number | undefined; headers?: Readonly<Record<string, string | readonly string[]>> },
  ) {
    this.value = value;
    this.status = options.status;
    this.headers = options.headers ?? {};
  }
}
