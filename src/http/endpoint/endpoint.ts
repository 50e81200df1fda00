import type { HistoryName } from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { UniqueErrors, UnitOfWork } from '#events/unit-of-work.ts';
import type { Git } from '#git/git.ts';
import type { Failure } from '#runtime/failure.ts';
import type { Access, Reserved } from '../access/access.ts';
import type { ErrorTable } from '../errors/error-table.ts';
import type { KeysetRule, OffsetRequest, PageRequest } from '../lists/pagination.ts';
import type { Raw } from '../parameters/brackets.ts';
import type { Parameters, ParameterValues, Rule } from '../parameters/declarations.ts';
import type { Base } from '../request/base-url.ts';
import type { Incoming } from '../request/incoming.ts';
import type { Services } from '../services.ts';
import type { Reply, ResponseType } from './responses.ts';
import type { StageOrder } from './stages.ts';

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
  readonly stageOrder: StageOrder;
  readonly scopes: readonly string[];
  readonly anyScope: boolean;
  readonly allowJobToken: boolean;
  readonly allowSiteToken: boolean;
  readonly body: BodyMode;
  readonly root: boolean;
  readonly params: Parameters;
  readonly fields: Parameters;
  readonly rules: readonly Rule[];
  readonly keyset?: KeysetRule;
  readonly lastModified?: (provided: object) => string | null | Promise<string | null>;
  readonly lock?: (provided: object) => string | readonly string[];
  readonly errors: ErrorTable;
  readonly uniqueErrors: UniqueErrors;
  readonly activity: readonly HistoryName[];
  readonly response: ResponseType;
  readonly handler: EndpointHandler;
  /** Grows from declaration to declaration: modules list their exports by name, readers want them as they stand. */
  readonly position: number;
}

/** How an endpoint does what it does. */
export interface EndpointHandler {
  readonly kind: 'read' | 'write' | 'handle';
  readonly run: (...given: never[]) => unknown;
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * How the body is read: `merged` into the parameters; `late`, by the handler itself after the project is known, with
 * texts of its own; `raw`, as bytes; `json`, as JSON whatever the content type.
 */
type BodyMode = 'merged' | 'late' | 'raw' | 'json';

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

/** What every call has besides what access provides, which none of these shadows. */
interface RequestContext<P extends Parameters, Path extends string, K extends KeysetRule | undefined> {
  /** The parameters as they are declared; what the path names besides is text. */
  readonly params: ParameterValues<P> & { readonly [Name in Exclude<PathNames<Path>, keyof P>]: string };
  /** Which page of a list is asked for: of one that declares no `keyset`, by its number. */
  readonly page: K extends KeysetRule ? PageRequest : OffsetRequest;
  /** The server as this request sees it. */
  readonly base: Base;
}

/** What came besides, for the few endpoints that read it by hand. */
interface RawRequest {
  readonly request: Incoming;
  /** All parameters as they came. */
  readonly given: Raw;
}

type CallerOf<Provided> = Provided extends { readonly caller: infer By extends Caller } ? By : Caller;

type Awaitable<T> = T | Promise<T>;
type Outcome<Result, R extends ErrorTable> = Awaitable<Result | Reply<Result> | Failure<keyof R & string>>;

/** One of three ways to do it; each is given only what it may use. */
type Handler<Provided, Call, Result, R extends ErrorTable> =
  | {
      /**
       * Reads. It sees the database, what refs say, the caller and the parameters, so that its answer may be kept until the
       * next commit (`server/response/response-cache.ts`).
       */
      readonly read: (db: Reader, call: Provided & Call, git: Git) => Outcome<Result, R>;
      readonly write?: never;
      readonly handle?: never;
    }
  | {
      /** Changes rows, in one transaction that is rolled back when it is refused. What it returns is shown after the commit. */
      readonly write: (uow: UnitOfWork<CallerOf<Provided>>, call: Provided & Call) => Outcome<Result, R>;
      readonly read?: never;
      readonly handle?: never;
    }
  | {
      /** All that cannot live in a transaction: git writes, password hashing, streams, other servers. */
      readonly handle: (call: Provided & Call & RawRequest, services: Services) => Outcome<Result, R>;
      readonly read?: never;
      readonly write?: never;
    };

interface EndpointOptions<
  P extends Parameters,
  Provided extends object,
  Needed extends Parameters,
  R extends ErrorTable,
  Result,
> {
  readonly summary: string;
  readonly access: Access<Provided & { readonly [Name in Reserved]?: never }, Needed>;
  readonly stageOrder?: StageOrder;
  /** Scopes that do besides `api` (and `read_api` on reads); `'any'`: every live token. */
  readonly scopes?: readonly string[] | 'any';
  /** Takes the token of a running job too (contract/conventions.md §7 "Job tokens"); elsewhere one counts as not given. */
  readonly allowJobToken?: true;
  /** Looks at the proof of a replication site too; elsewhere it is not looked at (contract/conventions.md §7). */
  readonly allowSiteToken?: true;
  readonly body?: BodyMode;
  readonly root?: true;
  readonly params?: P;
  /** Of a body that is read late: what may be in it, for the document and for the limits that its reader asks for. */
  readonly fields?: Parameters;
  readonly rules?: readonly Rule[];
  /** DELETE: honours If-Unmodified-Since against this moment. */
  readonly lastModified?: (provided: Provided) => string | null | Promise<string | null>;
  /**
   * Of a `write`: all that name the same turn run one after another, in whatever process. For those that all change one
   * row, a counter say, and would refuse each other in vain. Several are taken in their order, which is the same everywhere.
   */
  readonly lock?: (provided: Provided) => string | readonly string[];
  readonly errors?: R;
  /** Unique index -> the refusal of whoever finds it taken, be it by a race. */
  readonly uniqueErrors?: UniqueErrors<NoInfer<keyof R & string>>;
  /** The history that one successful call writes: names of activity and audit events. */
  readonly activity?: readonly HistoryName[];
  readonly response: ResponseType<Result>;
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
export type EndpointDefinition = Omit<Endpoint, 'name' | 'source'>;

let places = 0;

export function endpoint<
  const Path extends string,
  Provided extends object,
  Needed extends Parameters = {},
  const R extends ErrorTable = {},
  P extends Parameters = {},
  K extends KeysetRule | undefined = undefined,
  Result = void,
>(
  declaration: Route<Path> &
    EndpointOptions<P, Provided, Needed, R, Result> & { readonly keyset?: K } & Handler<
      NoInfer<Provided>,
      RequestContext<Needed & P, Path, K>,
      NoInfer<Result>,
      NoInfer<R>
    >,
): EndpointDefinition {
  const [method, path] = route(declaration as unknown as Record<string, unknown>);
  const { summary, access, response: answer, scopes = [], keyset, lastModified: conditional, lock: turn } = declaration;
  return {
    method,
    path,
    summary,
    access: access as unknown as Access<object>,
    stageOrder: declaration.stageOrder ?? (access.loadParent ? 'placeBeforeParameters' : 'standard'),
    scopes: scopes === 'any' ? [] : scopes,
    anyScope: scopes === 'any',
    allowJobToken: declaration.allowJobToken ?? false,
    allowSiteToken: declaration.allowSiteToken ?? false,
    body: declaration.body ?? 'merged',
    root: declaration.root ?? false,
    params: { ...access.params, ...declaration.params },
    fields: declaration.fields ?? {},
    rules: declaration.rules ?? [],
    keyset,
    lastModified: conditional as Endpoint['lastModified'],
    lock: turn as Endpoint['lock'],
    errors: declaration.errors ?? {},
    uniqueErrors: declaration.uniqueErrors ?? {},
    activity: declaration.activity ?? [],
    response: answer,
    handler: handlerOf(declaration as unknown as Record<string, unknown>),
    position: ++places,
  };
}

function route(declaration: Record<string, unknown>): [Method, string] {
  for (const verb of ['get', 'head', 'post', 'put', 'patch', 'delete'] as const) {
    const path = declaration[verb];
    if (typeof path === 'string') return [verb.toUpperCase() as Method, path];
  }
  throw new Error('an endpoint needs a verb with its path');
}

function handlerOf(declaration: Record<string, unknown>): EndpointHandler {
  for (const kind of ['read', 'write', 'handle'] as const) {
    const run = declaration[kind];
    if (typeof run === 'function') return { kind, run: run as EndpointHandler['run'] };
  }
  throw new Error('an endpoint needs read, write or handle');
}
