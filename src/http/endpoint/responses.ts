import type { Readable } from 'node:stream';
import { type TObject, type TProperties, type TSchema, Type } from 'typebox';
import type { ListPage } from '../lists/pagination.ts';
import type { Entity, RowOf, SerializationContext } from './entity.ts';

/**
 * The successful response of an endpoint: status and schema. The OpenAPI entry and the schema check of the tests are
 * derived from it.
 */
export interface ResponseType<Result = unknown> {
  readonly kind: 'entity' | 'list' | 'page' | 'text' | 'nothing' | 'stream' | 'html' | 'redirect';
  readonly status: number;
  readonly schema: TSchema | null;
  /** Other statuses of success, with the same body; 204 has none. */
  readonly otherStatuses?: readonly number[];
  /** Media types of a stream; empty if it has no body. */
  readonly mediaTypes?: readonly string[];
  /** Headers of a stream that the handler sets for clients. */
  readonly headers?: readonly string[];
  /** Serializes the rows that the handler returns; absent if it returns the response itself. */
  readonly entity?: Entity<never>;
  /** For the type checker only: the result of the handler. Never set. */
  readonly result?: Result;
}

/** Declares a named object schema. Undeclared keys are an error in tests. */
export function objectSchema<P extends TProperties>(name: string, fields: P): TObject<P> {
  return Type.Object(fields, { title: name, additionalProperties: false });
}

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
/** Returns the schema of a parameter without its length limit, for response fields: older rows may exceed the limit. */
export const responseField = (parameter: TSchema): TSchema => ('maxLength' in parameter ? Type.String() : parameter);
/** Schema of a timestamp: ISO 8601, UTC, with milliseconds. */
export const dateTime = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' });
/** Schema of a date, `YYYY-MM-DD`. */
export const date = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' });

/** 200 with one serialized row. */
export const ok = <E extends Entity<never>>(entity: E): ResponseType<RowOf<E>> => ({
  kind: 'entity',
  status: 200,
  schema: entity.schema,
  entity,
});
/** 200 with all rows of a list, not paginated. */
export const list = <E extends Entity<never>>(entity: E): ResponseType<readonly RowOf<E>[]> => ({
  kind: 'list',
  status: 200,
  schema: Type.Array(entity.schema),
  entity,
});
/** 200 with one page of a list and the pagination headers of contract/conventions.md §6. */
export const page = <E extends Entity<never>>(entity: E): ResponseType<ListPage<RowOf<E>>> => ({
  kind: 'page',
  status: 200,
  schema: Type.Array(entity.schema),
  entity,
});

/** 201 with the created row. */
export const created = <E extends Entity<never>>(entity: E): ResponseType<RowOf<E>> => ({ ...ok(entity), status: 201 });

export const Message = objectSchema('Message', { message: Type.String() });
/** 202 `{"message":"202 Accepted"}` for work that is done in the background. */
export const accepted: ResponseType<void> = { kind: 'entity', status: 202, schema: Message };
/** 204 without a body. */
export const noContent: ResponseType<void> = { kind: 'nothing', status: 204, schema: null };
/** 200 with bytes; the handler sets the headers. */
export const stream: ResponseType<StreamReply> = {
  kind: 'stream',
  status: 200,
  schema: null,
  mediaTypes: ['application/octet-stream'],
};
/** A stream with another status, other media types (none: no body), or a JSON schema. */
export const streamWith = (
  overrides: Partial<Pick<ResponseType, 'status' | 'otherStatuses' | 'mediaTypes' | 'headers' | 'schema'>>,
): ResponseType<StreamReply> => ({ ...stream, ...overrides });
/** 200 with an HTML page, or a redirect. */
export const html: ResponseType<HtmlReply | RedirectReply> = { kind: 'html', status: 200, schema: null };
/** 302 to another page, or an HTML page with the reason. */
export const redirect: ResponseType<HtmlReply | RedirectReply> = { kind: 'redirect', status: 302, schema: null };
/** 200 with plain text. */
export const text: ResponseType<string> = { kind: 'text', status: 200, schema: null };

/** The result of a handler that responds with a stream or with bytes. */
export interface StreamReply {
  readonly status?: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Absent for HEAD and for responses without a body. */
  readonly body?: Readable | Uint8Array | string | undefined;
}

/** The result of a handler that responds with an HTML page. */
export interface HtmlReply {
  /** 200 by default. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

/** A redirect (302). */
export interface RedirectReply {
  /** A path of this server (`localUrl`), or an absolute URL of another server. */
  readonly location: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** Serializes the result of a handler with the entity of the response; without an entity returns it unchanged. */
export async function serializeResponse(
  { kind, entity }: ResponseType,
  result: unknown,
  context: SerializationContext,
): Promise<unknown> {
  if (entity === undefined) return result;
  if (result instanceof Reply) {
    return new Reply(await serializeResponse({ kind, entity } as ResponseType, result.value, context), result);
  }
  const serializeRows = (rows: unknown) => entity.serializeAll(rows as never[], context);
  if (kind === 'page')
    return { ...(result as ListPage<unknown>), items: await serializeRows((result as ListPage<unknown>).items) };
  return kind === 'list' ? serializeRows(result) : (await serializeRows([result]))[0];
}

/** A result together with headers, or with another status than the declared one. */
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
