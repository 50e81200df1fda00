import { ANONYMOUS, type Caller, isSignedIn } from '#authentication/caller.ts';
import { identify } from '#authentication/credentials.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import { isForeignKeyViolation } from '#database/constraint-violations.ts';
import {
  type ClientContext,
  DatabaseUnavailable,
  type RequestDatabase,
  StaleRead,
  type WritingClient,
} from '#database/database.ts';
import { OverdueWork } from '#events/overdue-work.ts';
import { runUnitOfWorkForClient } from '#events/unit-of-work.ts';
import { gitForClient } from '#git/git.ts';
import { isOverLimit } from '#git/process/failures.ts';
import type { AccessCall } from '#http/access/access.ts';
import { blockedCallerError, invalidTokenError, requireScopes } from '#http/callers/authentication-errors.ts';
import { getSudoName, impersonate } from '#http/callers/sudo.ts';
import { applyThrottle } from '#http/callers/throttle.ts';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { STAGE_ORDERS, type Stage } from '#http/endpoint/stages.ts';
import {
  conflict,
  forbidden,
  HttpError,
  invalidParameters,
  methodNotAllowed,
  routeNotFound,
  serverError,
  unavailable,
} from '#http/errors/http-error.ts';
import {
  DEFAULT_PER_PAGE,
  keysetParameters,
  type PageRequest,
  pageParameters,
  readPageRequest,
} from '#http/lists/pagination.ts';
import { mergeParameters, parseForm, type RawParameters } from '#http/parameters/brackets.ts';
import { type Parameters, readParameters, selectDeclaredParameters } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { string } from '#http/parameters/texts.ts';
import { getMediaType, hasBody, readBodyParameters, readJsonParameters } from '#http/request/body.ts';
import { getPresentedCredentials } from '#http/request/credentials.ts';
import { acceptsHtml, firstHeader, type IncomingRequest, requireValidText } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { getClientNetwork } from '#rate-limits/concurrency-slots.ts';
import { QueueFull } from '#runtime/concurrency-limiter.ts';
import { RowDeleted } from '#runtime/failure.ts';
import { collapseSlashes } from '#text/trim.ts';
import { createErrorPage } from '../response/error-page.ts';
import {
  applyIfNoneMatch,
  checkPrecondition,
  discardBody,
  type OutgoingResponse,
  toErrorResponse,
} from '../response/response.ts';
import { getCachedResponse } from '../response/response-cache.ts';
import type { Registry } from '../routing/registry.ts';
import type { RouteMatch } from '../routing/router.ts';
import { executeEndpoint, prepareCall } from './execute.ts';

/** Handles a request from its raw text to its response, through the stages in the order of its endpoint. */
export async function handleRequest(
  registry: Registry,
  services: Services,
  request: IncomingRequest,
): Promise<HandledRequest> {
  try {
    requireValidText(request);
  } catch (error) {
    return toErrorResult(null, error);
  }
  const latest = { ...services, ...bindToClient(services, request) };
  // A read starts before the version of the database is known, and starts again if what it took from caches was outdated. A body
  // cannot be received again.
  if ((request.method === 'GET' || request.method === 'HEAD') && !hasBody(request)) {
    const snapshot = { ...latest, database: latest.database.forRequest('optimistic') };
    try {
      return await verifyResult(snapshot.database, await handleThrottled(registry, { latest, snapshot }, request));
    } catch (error) {
      if (!(error instanceof StaleRead)) return toErrorResult(null, error);
    }
  }
  const snapshot = { ...latest, database: latest.database.forRequest() };
  return handleThrottled(registry, { latest, snapshot }, request);
}

/** Returns the result of an optimistic request if everything that it has read is current; else throws `StaleRead`. */
async function verifyResult(database: RequestDatabase, handled: HandledRequest): Promise<HandledRequest> {
  try {
    const verification = database.verify();
    if (verification instanceof Promise) await verification;
    return handled;
  } catch (error) {
    discardBody(handled.outgoing);
    throw error;
  }
}

async function handleThrottled(
  registry: Registry,
  services: RequestServices,
  request: IncomingRequest,
): Promise<HandledRequest> {
  try {
    const throttleResult = await applyThrottle(services.snapshot, request);
    if (throttleResult?.error) throw throttleResult.error;
    const handled = toPageForBrowser(request, await routeRequest(registry, services, request));
    return throttleResult === null ? handled : withHeaders(handled, throttleResult.headers);
  } catch (error) {
    return toErrorResult(null, error);
  }
}

/** Returns the services whose reads and transactions wait on behalf of the client of the request, for every endpoint. */
function bindToClient(
  { database, runUnitOfWork }: Services,
  request: IncomingRequest,
): Pick<Services, 'database' | 'runUnitOfWork'> {
  const writer = { client: request.client, hasCommitted: false };
  return {
    database: database.forClient(createStatementOrigin(request, writer)),
    runUnitOfWork: runUnitOfWorkForClient(runUnitOfWork, writer),
  };
}

/**
 * Returns the client and network of database statements. The network is determined only when a statement needs it. Only
 * reads stop when the client disconnects; a change that has begun is completed.
 */
function createStatementOrigin(
  { method, clientAddress, client }: IncomingRequest,
  writer: WritingClient,
): ClientContext {
  return {
    writer,
    client: method === 'GET' || method === 'HEAD' ? client : null,
    get network() {
      return getClientNetwork(clientAddress);
    },
  };
}

/** Reads of `snapshot` see the database as it was at the start of the request or later; reads of `latest` see the newest state. */
interface RequestServices {
  readonly latest: Services;
  readonly snapshot: Services & { readonly database: RequestDatabase };
}

/** Lets later reads of the request see the current state of the database. */
function renewDatabase(state: RequestState): void {
  state.database = state.services.database.forRequest();
  state.services = { ...state.services, database: state.database };
}

/** Returns an error outside of the API as a page, if a browser asked for one. */
function toPageForBrowser(request: IncomingRequest, handled: HandledRequest): HandledRequest {
  const page =
    handled.outgoing.status < 400 || !acceptsHtml(request) ? null : createErrorPage(request, handled.outgoing);
  return page === null ? handled : { ...handled, outgoing: page };
}

/** Finds the endpoint and runs it; errors become responses. */
async function routeRequest(
  registry: Registry,
  services: RequestServices,
  request: IncomingRequest,
): Promise<HandledRequest> {
  let endpoint: Endpoint | null = null;
  try {
    const route = registry.find(request.method, request.path, acceptsHtml(request));
    if (route === null) return { endpoint, outgoing: await respondWithoutRoute(registry, request) };
    endpoint = route.endpoint;
    return { endpoint, outgoing: await runEndpoint(services, request, route) };
  } catch (error) {
    return toErrorResult(endpoint, error);
  }
}

/** Retry-After for an unavailable or overloaded database, in seconds. */
const RETRY_AFTER_SECONDS = 10;

function toErrorResult(endpoint: Endpoint | null, error: unknown): HandledRequest {
  if (error instanceof StaleRead) throw error;
  if (error instanceof HttpError) return { endpoint, outgoing: toErrorResponse(error) };
  if (error instanceof QueueFull) return { endpoint, outgoing: toErrorResponse(unavailable(error.retryAfterSeconds)) };
  if (error instanceof DatabaseUnavailable)
    return { endpoint, outgoing: toErrorResponse(unavailable(RETRY_AFTER_SECONDS)) };
  // The repository needs more work than one response may cost. This is not a server error, and a retry would not help.
  if (isOverLimit(error)) return { endpoint, outgoing: toErrorResponse(unavailable()) };
  if (isForeignKeyViolation(error)) return { endpoint, outgoing: toErrorResponse(conflict()), error };
  return { endpoint, outgoing: toErrorResponse(serverError()), error };
}

function withHeaders(handled: HandledRequest, headers: OutgoingResponse['headers']): HandledRequest {
  const { outgoing } = handled;
  return { ...handled, outgoing: { ...outgoing, headers: { ...outgoing.headers, ...headers } } };
}

/** The response to a request, and the endpoint that produced it; null if no endpoint was reached. */
export interface HandledRequest {
  readonly endpoint: Endpoint | null;
  readonly outgoing: OutgoingResponse;
  /** The cause of a 500, or of a 409 that no endpoint declares. */
  readonly error?: unknown;
}

/**
 * Returns 410 or the response to OPTIONS; throws 404 or 405. Invalid text and invalid JSON are reported before the
 * route (stages 1 and 3 before 4), so the body is read here too, unless the path takes raw bodies.
 */
async function respondWithoutRoute(registry: Registry, request: IncomingRequest): Promise<OutgoingResponse> {
  const mediaType = getMediaType(request);
  const methods = registry.listMethods(request.path);
  const knownEndpoint = registry.find(methods[0] ?? '', request.path)?.endpoint;
  if (knownEndpoint?.body !== 'raw' && (mediaType === 'json' || mediaType === 'form'))
    await readBodyParameters(request);
  if (/^\/api\/v3(\/|$)/.test(collapseSlashes(request.path)))
    return toErrorResponse(new HttpError(410, { error: 'API V3 is no longer supported. Use API V4 instead.' }));
  if (methods.length === 0) throw routeNotFound();
  const allow = [...methods, 'OPTIONS'].join(', ');
  if (request.method === 'OPTIONS') return { status: 204, headers: { Allow: allow, 'Cache-Control': 'no-cache' } };
  throw methodNotAllowed(allow);
}

/** The state of a request on its way through the stages. */
interface RequestState {
  services: Services;
  /** The read state of the database for this request. */
  database: RequestDatabase;
  readonly request: IncomingRequest;
  readonly endpoint: Endpoint;
  readonly path: Readonly<Record<string, string>>;
  /** Parameters of query and body, before validation. */
  rawParams: RawParameters;
  caller: Caller;
  params: Readonly<Record<string, unknown>>;
  /** The resources that access has loaded. */
  resources: unknown;
  page: PageRequest;
}

/** Stage -> its function, which changes the state of the request or throws. */
const STAGES: Readonly<Record<Stage, (state: RequestState) => void | Promise<void>>> = {
  body(state) {
    const { endpoint, request } = state;
    return hasBody(request) || endpoint.body === 'json' ? readBody(state) : undefined;
  },

  async credentials(state) {
    const { services, request, rawParams, endpoint } = state;
    const identification = await identify(services, getPresentedCredentials(request, rawParams, endpoint), request);
    await endpoint.access.isEnabled?.(new StageCall({ ...state, caller: identification.caller ?? ANONYMOUS }));
    if (identification.invalidToken) {
      await state.database.verify();
      await endpoint.access.handleInvalidToken?.(new StageCall(state), identification.invalidToken);
      throw invalidTokenError(identification.invalidToken);
    }
    const sudoName = endpoint.outsideApi ? null : getSudoName(request, rawParams);
    // `resolveSudo` checks the scopes of a request with sudo.
    if (sudoName === null) requireScopes(endpoint, identification.caller, request.method);
    if (identification.block) throw blockedCallerError(identification.block, request.baseUrl);
    state.caller =
      sudoName === null ? identification.caller : await resolveSudo(state, identification.caller, sudoName);
    await endpoint.access.authenticate(new StageCall(state));
  },

  loadParent: (state) => state.endpoint.access.loadParent?.(new StageCall(state)),

  parameters(state) {
    const { endpoint, path, rawParams } = state;
    const problems = new Problems();
    for (const name in path) if (endpoint.params[name] === undefined) string.read(path[name], name, problems);
    const declared = getDeclaredParameters(endpoint);
    const sentParams = selectDeclaredParameters(
      state.services.config.tier,
      declared,
      toPathValues(endpoint, path),
      rawParams,
    );
    state.params = { ...path, ...readParameters(declared, sentParams, problems, endpoint.rules) };
    if (problems.any) throw invalidParameters(problems.texts, problems.fields);
    if (endpoint.response.kind === 'page') {
      const pageValues = endpoint.keyset ? Object.assign(Object.create(rawParams), path, state.params) : state.params;
      state.page = readPageRequest(pageValues, endpoint.keyset, isSignedIn(state.caller));
    }
  },

  async load(state) {
    state.resources = await state.endpoint.access.load(new StageCall(state));
  },

  authorize: (state) => state.endpoint.access.authorize(new StageCall(state), state.resources as never),

  precondition: (state) => (state.endpoint.lastModified ? checkIfUnmodifiedSince(state) : undefined),
};

async function readBody(state: RequestState): Promise<void> {
  const { endpoint, request, rawParams } = state;
  if (endpoint.body === 'merged') state.rawParams = mergeParameters(rawParams, await readBodyParameters(request));
  if (endpoint.body === 'json') state.rawParams = mergeParameters(rawParams, await readJsonParameters(request));
  // Reading the body may have taken minutes, so later reads must not use the state from before it.
  if (hasBody(request)) renewDatabase(state);
}

async function checkIfUnmodifiedSince({ endpoint, request, resources }: RequestState): Promise<void> {
  const header = firstHeader(request.headers['if-unmodified-since']);
  if (endpoint.lastModified && header !== undefined)
    checkPrecondition(header, await endpoint.lastModified(endpoint.access.provide(resources as never)));
}

/** Runs the stages in this order; awaits only those that return a promise. */
async function runStages(stages: readonly Stage[], state: RequestState): Promise<void> {
  for (const stage of stages) {
    const completion = STAGES[stage](state);
    if (completion !== undefined) await completion;
  }
}

/** Returns the caller after sudo. Acting as another user requires only the scope `sudo`; acting as oneself requires the usual scopes. */
async function resolveSudo(
  { services, request, endpoint }: RequestState,
  caller: Caller,
  name: string,
): Promise<Caller> {
  const sudoCaller = await impersonate(services.database.reader, caller, name);
  if (sudoCaller.user?.id === caller.user?.id) requireScopes(endpoint, caller, request.method);
  return sudoCaller;
}

async function runEndpoint(
  { latest, snapshot }: RequestServices,
  request: IncomingRequest,
  { endpoint, path }: RouteMatch,
): Promise<OutgoingResponse> {
  // Git processes of this request end when its client disconnects.
  const git = gitForClient(latest.git, request.client);
  const state: RequestState = {
    services: { ...snapshot, git },
    database: snapshot.database,
    request,
    endpoint,
    path,
    rawParams: parseForm(request.query),
    caller: ANONYMOUS,
    params: path,
    resources: undefined,
    page: { kind: 'offset', page: 1, perPage: DEFAULT_PER_PAGE },
  };
  await runStages(STAGE_ORDERS[endpoint.stageOrder], state);
  try {
    const outgoing = await executeWithRetries(state, { ...latest, git });
    try {
      // The next request of the client may read the last use of its token from another process.
      if (state.caller.user !== null && latest.tokenUsage.isDatabaseShared) await latest.tokenUsage.waitForFlush();
    } catch (error) {
      discardBody(outgoing);
      throw error;
    }
    return applyIfNoneMatch(request, outgoing);
  } catch (error) {
    if (error instanceof AccessRevoked) throw (await findAccessError(state)) ?? forbidden();
    if (error instanceof RowDeleted) throw (await findAccessError(state)) ?? conflict();
    throw error;
  }
}

/** Attempts of a read whose rows are deleted meanwhile, or that requires overdue work first. */
const MAX_READ_ATTEMPTS = 3;

/** Executes the endpoint. A GET whose rows were deleted meanwhile, or that needs overdue work, is retried with new access checks. */
async function executeWithRetries(state: RequestState, latest: Services): Promise<OutgoingResponse> {
  for (let attempt = 1; ; attempt++) {
    // A `handle` may take long and must see newer state than the access checks.
    if (state.endpoint.handler.kind === 'handle') {
      await state.database.verify();
      state.services = latest;
    }
    const prepared = prepareCall(state);
    try {
      return await getCachedResponse(state, prepared.context, () => executeEndpoint(state, prepared));
    } catch (error) {
      if (state.endpoint.method !== 'GET' || attempt === MAX_READ_ATTEMPTS) throw error;
      await state.database.verify();
      if (error instanceof OverdueWork) await error.complete(latest.runUnitOfWork);
      else if (!(error instanceof RowDeleted)) throw error;
      await repeatAccessStages(state);
    }
  }
}

/** Repeats the access checks. Returns the error that the caller would get now, or null if access is still allowed. */
async function findAccessError(state: RequestState): Promise<unknown> {
  try {
    await repeatAccessStages(state);
  } catch (error) {
    return error;
  }
  return null;
}

async function repeatAccessStages(state: RequestState): Promise<void> {
  const stages: readonly Stage[] = ['credentials', 'load', 'authorize'];
  renewDatabase(state);
  await runStages(
    STAGE_ORDERS[state.endpoint.stageOrder].filter((stage) => stages.includes(stage)),
    state,
  );
}

/** The `AccessCall` of a stage. A class, because several are created per request. */
class StageCall implements AccessCall {
  readonly caller: Caller;
  readonly path: RequestState['path'];
  readonly params: RequestState['params'];
  readonly request: IncomingRequest;
  readonly #state: RequestState;

  constructor(state: RequestState) {
    this.caller = state.caller;
    this.path = state.path;
    this.params = state.params;
    this.request = state.request;
    this.#state = state;
  }

  // Deferred checks read the state at the time of the check.
  get services(): Services {
    return this.#state.services;
  }

  get db(): AccessCall['db'] {
    return this.#state.services.database.reader;
  }
}

/**
 * Returns the path values for validation. Numbers beyond the safe range are replaced by the largest safe integer, which no row
 * has as its id, so that they lead to 404 instead of 400 (contract/conventions.md §2).
 */
function toPathValues(endpoint: Endpoint, path: RequestState['path']): RawParameters {
  const values: RawParameters = { ...path };
  for (const name in path) {
    const isNumber = isIntegerParameter(endpoint.params[name]) && /^[+-]?\d+$/.test(path[name]!);
    if (!isNumber || Number.isSafeInteger(Number(path[name]))) continue;
    values[name] = path[name]?.startsWith('-') ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
  }
  return values;
}

function isIntegerParameter(parameter: Parameters[string] | undefined): boolean {
  const schema: { type?: string } = parameter?.type.schema ?? {};
  return schema.type === 'integer';
}

const declaredParameterCache = new WeakMap<Endpoint, Parameters>();

/** Returns the parameters of the endpoint, then those of its pagination, unless the endpoint declares the same name. */
export function getDeclaredParameters(endpoint: Endpoint): Parameters {
  const cached = declaredParameterCache.get(endpoint);
  if (cached) return cached;
  const listParameters: Parameters = {
    ...(endpoint.keyset ? keysetParameters : {}),
    ...(endpoint.response.kind === 'page' ? pageParameters : {}),
  };
  const endpointNames = Object.keys(endpoint.params);
  const declared = {
    ...endpoint.params,
    ...Object.fromEntries(Object.entries(listParameters).filter(([name]) => !endpointNames.includes(name))),
  };
  declaredParameterCache.set(endpoint, declared);
  return declared;
}
