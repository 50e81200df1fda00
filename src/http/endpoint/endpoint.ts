import type { Reader } from '../../database/database.ts';
import type { HistoryName } from '../../history/index.ts';
import type { Refused } from '../../refused.ts';
import type { Access } from '../access/access.ts';
import type { KeysetRule, PageRequest } from '../lists/pagination.ts';
import type { Raw } from '../parameters/brackets.ts';
import type { Parameters, ParameterValues, Rule } from '../parameters/declarations.ts';
import type { Incoming } from '../serving/incoming.ts';
import type { OrderName } from '../serving/stages.ts';
import type { Answer, Reply } from './answers.ts';
import type { Base } from './base.ts';
import type { Rooms } from './rooms.ts';

/**
 * An endpoint is one declarative value: route, access, parameters, refusals, what it records, its answer and its
 * handler. Everything else (validation, OpenAPI, `api.txt`, the test matrix) is read from it.
 */
export interface Endpoint {
  readonly method: Method;
  /** Below `/api/v4`, or below the server's root with `root`. */
  readonly path: string;
  readonly name: string;
  /** `folder/file.ts` below src/api, for the documentation and for error messages. */
  readonly source: string;
  readonly summary: string;
  readonly access: Access<object>;
  readonly order: OrderName;
  readonly scopes: readonly string[];
  readonly anyScope: boolean;
  readonly jobToken: boolean;
  readonly body: BodyMode;
  readonly root: boolean;
  readonly params: Parameters;
  readonly rules: readonly Rule[];
  readonly keyset?: KeysetRule;
  readonly conditional?: (provided: object) => string | null | Promise<string | null>;
  readonly remembered: boolean;
  readonly refuses: Refusals;
  readonly records: readonly HistoryName[];
  readonly answer: Answer;
  readonly handle: (call: never) => unknown;
  /** Grows from declaration to declaration: modules list their exports by name, readers want them as they stand. */
  readonly place: number;
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * How the body is read: `merged` into the parameters; `late`, by the handler itself after the project is known, with
 * texts of its own; `raw`, as bytes; `json`, as JSON whatever the content type.
 */
export type BodyMode = 'merged' | 'late' | 'raw' | 'json';

/** The only place of refusal texts: code -> status and text (or a whole body). `{name}` is filled from the refusal's values. */
export type Refusals = Readonly<Record<string, RefusalEntry>>;
export type RefusalEntry =
  | readonly [status: number, text: string]
  | readonly [status: number, body: Readonly<Record<string, unknown>>]
  | readonly [
      status: number,
      body: string | Readonly<Record<string, unknown>>,
      headers: Readonly<Record<string, string>>,
    ];

/** A record's validation errors, `{"message":{"<field>":["<text>"]}}`: the refusal's value `errors` is the object. */
export const RECORD_ERRORS: Readonly<Record<string, unknown>> = { message: '{errors}' };

type PathNames<Path extends string> = Path extends `${infer Segment}/${infer More}`
  ? SegmentName<Segment> | PathNames<More>
  : SegmentName<Path>;
/** `:id`, `:id(^\\d+$)` and the rest of a path, `*repository_path.git`. */
type SegmentName<Segment extends string> = Segment extends `${string}:${infer Name}(${string}`
  ? Name
  : Segment extends `:${infer Name}`
    ? Name
    : Segment extends `*${infer Name}.${string}`
      ? Name
      : Segment extends `*${infer Name}`
        ? Name
        : never;

/** What a handler gets: the rooms, what access has loaded, the parameters, and the facts of the request. */
export type Call<Provided extends object, P extends Parameters, Path extends string> = Rooms &
  Provided & {
    readonly params: ParameterValues<P> & { readonly [K in Exclude<PathNames<Path>, keyof P>]: string };
    /** Reading outside of a transaction. */
    readonly db: Reader;
    /** What wire shapes need besides rows. */
    readonly base: Base;
    readonly page: PageRequest;
    readonly request: Incoming;
    /** All parameters as they came, for the few families that read them by hand. */
    readonly given: Raw;
  };

interface Shared<Path extends string, P extends Parameters, Provided extends object, R extends Refusals, Result> {
  readonly summary: string;
  readonly access: Access<Provided>;
  readonly order?: OrderName;
  /** Scopes that do besides `api` (and `read_api` on reads); `'any'`: every live token. */
  readonly scopes?: readonly string[] | 'any';
  /** Takes the token of a running job too (contract/conventions.md §7 "Job tokens"); elsewhere one counts as not given. */
  readonly jobToken?: true;
  readonly body?: BodyMode;
  readonly root?: true;
  readonly params?: P;
  readonly rules?: readonly Rule[];
  readonly keyset?: KeysetRule;
  /** DELETE: honours If-Unmodified-Since against this moment. */
  readonly conditional?: (provided: Provided) => string | null | Promise<string | null>;
  /**
   * GET with a JSON answer that is made of nothing but the database, what the path and the query say, the caller and the
   * day: it is kept until the next commit (`http/remembered-answers.ts`).
   */
  readonly remembered?: true;
  readonly refuses?: R;
  /** The history that one successful call writes: names of activity and audit events. */
  readonly records?: readonly HistoryName[];
  readonly answer: Answer<Result>;
  readonly handle: (
    call: Call<Provided, P, Path>,
  ) => Result | Reply<Result> | Refused<keyof R & string> | Promise<Result | Reply<Result> | Refused<keyof R & string>>;
}

type Verb<V extends string, Path extends string> = { readonly [K in V]: Path };
type Route<Path extends string> =
  | Verb<'get', Path>
  | Verb<'head', Path>
  | Verb<'post', Path>
  | Verb<'put', Path>
  | Verb<'patch', Path>
  | Verb<'delete', Path>;

/** An endpoint before server.ts has given it its name and place. */
export type Declared = Omit<Endpoint, 'name' | 'source'>;

let places = 0;

export function endpoint<
  const Path extends string,
  Provided extends object,
  const R extends Refusals = {},
  P extends Parameters = {},
  Result = void,
>(declaration: Route<Path> & Shared<Path, P, Provided, R, Result>): Declared {
  const [method, path] = route(declaration as unknown as Record<string, unknown>);
  const { summary, access, answer, handle, scopes = [], keyset, conditional } = declaration;
  return {
    method,
    path,
    summary,
    access: access as unknown as Access<object>,
    order: declaration.order ?? 'standard',
    scopes: scopes === 'any' ? [] : scopes,
    anyScope: scopes === 'any',
    jobToken: declaration.jobToken ?? false,
    body: declaration.body ?? 'merged',
    root: declaration.root ?? false,
    params: declaration.params ?? {},
    rules: declaration.rules ?? [],
    keyset,
    conditional: conditional as Endpoint['conditional'],
    remembered: declaration.remembered ?? false,
    refuses: declaration.refuses ?? {},
    records: declaration.records ?? [],
    answer,
    handle: handle as Endpoint['handle'],
    place: ++places,
  };
}

function route(declaration: Record<string, unknown>): [Method, string] {
  for (const verb of ['get', 'head', 'post', 'put', 'patch', 'delete'] as const) {
    const path = declaration[verb];
    if (typeof path === 'string') return [verb.toUpperCase() as Method, path];
  }
  throw new Error('an endpoint needs a verb with its path');
}
