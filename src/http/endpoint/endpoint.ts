import type { RecordedEventName } from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { UniqueErrors, UnitOfWork } from '#events/unit-of-work.ts';
import type { Git } from '#git/git.ts';
import type { Failure } from '#runtime/failure.ts';
import { type Access, type ReservedName, rejectUnknownKeys } from '../access/access.ts';
import type { ErrorTable } from '../errors/error-messages.ts';
import type { KeysetRule, OffsetRequest, PageRequest } from '../lists/pagination.ts';
import type { RawParameters } from '../parameters/brackets.ts';
import type { ParameterRule, Parameters, ParameterValues } from '../parameters/declarations.ts';
import type { IncomingRequest, ServerContext } from '../request/incoming.ts';
import type { Services } from '../services.ts';
import type { Reply, ResponseType } from './responses.ts';
import type { StageOrder } from './stages.ts';

/**
 * An endpoint is one declarative value: route, access, parameters, errors, recorded activity, response and handler.
 * Validation, OpenAPI, `api.txt` and the test matrix are derived from it. `EndpointOptions` describes the options.
 */
export interface Endpoint {
  readonly method: Method;
  /** Path below `/api/v4`; with `outsideApi` the whole path. */
  readonly path: string;
  readonly name: string;
  /** The folder of its resource below src/api: `planning/issues`. */
  readonly folder: string;
  /** The file below src/api that declares the endpoint, for the documentation and for error messages. */
  readonly source: string;
  readonly summary: string;
  readonly description: string;
  readonly access: Access<object>;
  readonly stageOrder: StageOrder;
  readonly scopes: readonly string[];
  /** Whether every valid token is accepted, regardless of its scopes. */
  readonly anyScope: boolean;
  readonly allowJobToken: boolean;
  readonly allowSiteToken: boolean;
  readonly unknownIdStatus: 401 | 403 | 404;
  readonly body: BodyMode;
  readonly outsideApi: boolean;
  readonly htmlOnly: boolean;
  readonly params: Parameters;
  readonly fields: Parameters;
  readonly rules: readonly ParameterRule[];
  readonly keyset: KeysetRule | undefined;
  readonly lastModified: ((provided: object) => string | null | Promise<string | null>) | undefined;
  readonly lock: ((provided: object) => string | readonly string[]) | undefined;
  readonly errors: ErrorTable;
  readonly uniqueErrors: UniqueErrors;
  readonly activity: readonly RecordedEventName[];
  readonly response: ResponseType;
  readonly handler: EndpointHandler;
}

/** The function of an endpoint, and the kind of handler (`Handler`) that declares it. */
export interface EndpointHandler {
  readonly kind: 'read' | 'write' | 'handle';
  readonly run: (...args: never[]) => unknown;
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Mode of reading the body. `merged`: its members become parameters. `deferred`: the handler reads its fields after the
 * project is loaded. `raw`: the handler reads bytes. `json`: as `merged`, but always parsed as JSON, regardless of the
 * content type.
 */
type BodyMode = 'merged' | 'deferred' | 'raw' | 'json';

type PathParameterNames<Path extends string> = Path extends `${infer Segment}/${infer More}`
  ? SegmentParameterName<Segment> | PathParameterNames<More>
  : SegmentParameterName<Path>;
/** The parameter name in a segment, `:id` or `:id(^\\d+$)`, or for the rest of a path, `*repository_path.git`. */
type SegmentParameterName<Segment extends string> = Segment extends `${string}:${infer Name}(${string}`
  ? Name
  : Segment extends `:${infer Name}`
    ? Name
    : Segment extends `*${infer Name}.${string}`
      ? Name
      : Segment extends `*${infer Name}`
        ? Name
        : never;

/** Arguments that every handler gets in addition to those that access provides. */
interface RequestContext<P extends Parameters, Path extends string, Keyset extends KeysetRule | undefined> {
  /** The declared parameters; undeclared path parameters are text. */
  readonly params: ParameterValues<P> & { readonly [Name in Exclude<PathParameterNames<Path>, keyof P>]: string };
  /** The requested page of a list; by page number if the endpoint declares no `keyset`. */
  readonly page: Keyset extends KeysetRule ? PageRequest : OffsetRequest;
  /** The server as this request addresses it: URL, names, tier and time. */
  readonly base: ServerContext;
}

/** The raw request, for handlers that read it themselves. */
interface RawRequest {
  readonly request: IncomingRequest;
  /** All parameters of query and body, before validation. */
  readonly rawParams: RawParameters;
}

type CallerOf<Provided> = Provided extends { readonly caller: infer By extends Caller } ? By : Caller;

type Awaitable<T> = T | Promise<T>;
type HandlerResult<Result, Errors extends ErrorTable> = Awaitable<
  Result | Reply<Result> | Failure<keyof Errors & string>
>;

/** One of three kinds of handlers; each gets only the services that it may use. */
type Handler<Provided, Call, Result, Errors extends ErrorTable> =
  | {
      /**
       * Reads. Depends only on the database, refs, caller and parameters, so that its response can be cached until the next
       * transaction of the database commits (`server/response/response-cache.ts`).
       */
      readonly read: (db: Reader, call: Provided & Call, git: Git) => HandlerResult<Result, Errors>;
      readonly write?: never;
      readonly handle?: never;
    }
  | {
      /** Writes rows in one transaction, which is rolled back on failure. The result is serialized after the commit. */
      readonly write: (uow: UnitOfWork<CallerOf<Provided>>, call: Provided & Call) => HandlerResult<Result, Errors>;
      readonly read?: never;
      readonly handle?: never;
    }
  | {
      /** Performs work that cannot run in a transaction: git writes, password hashing, streams, calls to other servers. */
      readonly handle: (call: Provided & Call & RawRequest, services: Services) => HandlerResult<Result, Errors>;
      readonly read?: never;
      readonly write?: never;
    };

interface EndpointOptions<
  P extends Parameters,
  Provided extends object,
  AccessParameters extends Parameters,
  Errors extends ErrorTable,
  Result,
> {
  readonly summary: string;
  /** The details that the summary omits: returned values and changes, in one to four sentences for the OpenAPI document. */
  readonly description?: string;
  readonly access: Access<Provided & { readonly [Name in ReservedName]?: never }, AccessParameters>;
  readonly stageOrder?: StageOrder;
  /** Accepted scopes in addition to `api` (and `read_api` for reads); `'any'` accepts every valid token. */
  readonly scopes?: readonly string[] | 'any';
  /** Accepts the token of a running job (contract/conventions.md §7 "Job tokens"); other endpoints ignore job tokens. */
  readonly allowJobToken?: true;
  /** Accepts the token of a replication site (contract/conventions.md §7); other endpoints ignore site tokens. */
  readonly allowSiteToken?: true;
  /** Status for an unknown id in the path, if 404 would reveal which ids exist. */
  readonly unknownIdStatus?: 401 | 403;
  readonly body?: BodyMode;
  /** The path is the whole path, without the prefix `/api/v4`. */
  readonly outsideApi?: true;
  /** Serves only clients whose `Accept` names `text/html`; for others the path is unknown. */
  readonly htmlOnly?: true;
  readonly params?: P;
  /** `deferred` bodies only: the fields, for the OpenAPI document and for the length limits of the body's reader. */
  readonly fields?: Parameters;
  /** Rules over several parameters, such as `atLeastOne`. */
  readonly rules?: readonly ParameterRule[];
  /** DELETE only: returns the timestamp that If-Unmodified-Since is compared with. */
  readonly lastModified?: ((provided: Provided) => string | null | Promise<string | null>) | undefined;
  /**
   * `write` only: returns the advisory lock keys. Writes with the same key run one after another, across processes. For
   * writes to one shared row, such as a counter. Several keys are locked in order, which must be the same everywhere.
   */
  readonly lock?: (provided: Provided) => string | readonly string[];
  readonly errors?: Errors;
  /** Unique index -> the error code of a violation, also after a race. */
  readonly uniqueErrors?: UniqueErrors<NoInfer<keyof Errors & string>>;
  /** The names of the activity and audit events that one successful call records. */
  readonly activity?: readonly RecordedEventName[];
  readonly response: ResponseType<Result>;
}

type RouteOption<V extends string, Path extends string> = { readonly [K in V]: Path };
type Route<Path extends string> =
  | RouteOption<'get', Path>
  | RouteOption<'head', Path>
  | RouteOption<'post', Path>
  | RouteOption<'put', Path>
  | RouteOption<'patch', Path>
  | RouteOption<'delete', Path>;

/** An endpoint before the registry adds its name and its source. */
export type EndpointDefinition = Omit<Endpoint, 'name' | 'folder' | 'source'>;

/** Returns the definition of an endpoint, with defaults for omitted options. Throws for unknown keys. */
export function endpoint<
  const Path extends string,
  Provided extends object,
  AccessParameters extends Parameters = {},
  const Errors extends ErrorTable = {},
  P extends Parameters = {},
  Keyset extends KeysetRule | undefined = undefined,
  Result = void,
>(
  declaration: Route<Path> &
    EndpointOptions<P, Provided, AccessParameters, Errors, Result> & { readonly keyset?: Keyset } & Handler<
      NoInfer<Provided>,
      RequestContext<AccessParameters & P, Path, Keyset>,
      NoInfer<Result>,
      NoInfer<Errors>
    >,
): EndpointDefinition {
  rejectUnknownKeys('An endpoint', declaration, ENDPOINT_KEYS);
  const [method, path] = getRoute(declaration as unknown as Record<string, unknown>);
  const { summary, description = '', access, response, scopes = [], keyset, lastModified, lock } = declaration;
  return {
    method,
    path,
    summary,
    description,
    access: access as unknown as Access<object>,
    // If the access loads a parent, it is loaded before parameters are validated.
    stageOrder: declaration.stageOrder ?? (access.loadParent ? 'parentBeforeParameters' : 'standard'),
    scopes: scopes === 'any' ? [] : scopes,
    anyScope: scopes === 'any',
    allowJobToken: declaration.allowJobToken ?? false,
    allowSiteToken: declaration.allowSiteToken ?? false,
    unknownIdStatus: declaration.unknownIdStatus ?? 404,
    body: declaration.body ?? 'merged',
    outsideApi: declaration.outsideApi ?? false,
    htmlOnly: declaration.htmlOnly ?? false,
    params: { ...access.params, ...declaration.params },
    fields: declaration.fields ?? {},
    rules: declaration.rules ?? [],
    keyset,
    lastModified: lastModified as Endpoint['lastModified'],
    lock: lock as Endpoint['lock'],
    errors: declaration.errors ?? {},
    uniqueErrors: declaration.uniqueErrors ?? {},
    activity: declaration.activity ?? [],
    response,
    handler: getHandler(declaration as unknown as Record<string, unknown>),
  };
}

type EndpointKey =
  | keyof EndpointOptions<Parameters, object, Parameters, ErrorTable, unknown>
  | Lowercase<Method>
  | 'keyset'
  | EndpointHandler['kind'];

const ENDPOINT_KEYS: Readonly<Record<EndpointKey, true>> = {
  get: true,
  head: true,
  post: true,
  put: true,
  patch: true,
  delete: true,
  summary: true,
  description: true,
  access: true,
  stageOrder: true,
  scopes: true,
  allowJobToken: true,
  allowSiteToken: true,
  unknownIdStatus: true,
  body: true,
  outsideApi: true,
  htmlOnly: true,
  params: true,
  fields: true,
  rules: true,
  keyset: true,
  lastModified: true,
  lock: true,
  errors: true,
  uniqueErrors: true,
  activity: true,
  response: true,
  read: true,
  write: true,
  handle: true,
};

function getRoute(declaration: Record<string, unknown>): [Method, string] {
  for (const verb of ['get', 'head', 'post', 'put', 'patch', 'delete'] as const) {
    const path = declaration[verb];
    if (typeof path === 'string') return [verb.toUpperCase() as Method, path];
  }
  throw new Error('An endpoint must declare get, head, post, put, patch or delete with its path');
}

function getHandler(declaration: Record<string, unknown>): EndpointHandler {
  for (const kind of ['read', 'write', 'handle'] as const) {
    const run = declaration[kind];
    if (typeof run === 'function') return { kind, run: run as EndpointHandler['run'] };
  }
  throw new Error('An endpoint must declare read, write or handle');
}
