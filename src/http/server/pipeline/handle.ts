import { ANONYMOUS, type Caller, isSignedIn } from '#authentication/caller.ts';
import { identify } from '#authentication/credentials.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import { referenceMissing } from '#database/constraint-violations.ts';
import { type CurrentDatabase, DatabaseUnavailable } from '#database/database.ts';
import { RowDeleted } from '#domain/row-deleted.ts';
import { OverdueWork } from '#events/overdue-work.ts';
import { gitFor } from '#git/git.ts';
import { isOverLimit } from '#git/process/failures.ts';
import type { AccessCall } from '#http/access/access.ts';
import { barredCaller, deadToken } from '#http/callers/authentication-errors.ts';
import { checkScopes } from '#http/callers/scopes.ts';
import { actAs, sudoName } from '#http/callers/sudo.ts';
import { throttled } from '#http/callers/throttle.ts';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { ORDERS, type Stage } from '#http/endpoint/stages.ts';
import {
  conflict,
  forbidden,
  HttpError,
  invalidParameters,
  serverError,
  unavailable,
  unknownRoute,
  wrongMethod,
} from '#http/errors/http-error.ts';
import {
  DEFAULT_PER_PAGE,
  keysetParameters,
  type PageRequest,
  pageParameters,
  pageRequest,
} from '#http/lists/pagination.ts';
import { joined, parseForm, type Raw } from '#http/parameters/brackets.ts';
import { offeredOn, type Parameters, readParameters } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { string } from '#http/parameters/texts.ts';
import { hasBody, mediaType, readJson, readMerged } from '#http/request/body.ts';
import { presentedCredentials } from '#http/request/credentials.ts';
import { checkText, type Incoming, single } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { QueueFull } from '#runtime/concurrency-limiter.ts';
import { type Outgoing, refusalReply, unlessKnown } from '../response/response.ts';
import { rememberedAnswer } from '../response/response-cache.ts';
import type { Found, Registry } from '../routing/registry.ts';
import { carryOut, prepared } from './execute.ts';
import { checkPrecondition } from './precondition.ts';

/** One request from its raw text to its answer, through the stages in the order that its endpoint names. */
export async function handle(registry: Registry, services: Services, request: Incoming): Promise<Answered> {
  try {
    checkText(request);
    const current = { ...services, database: services.database.current() };
    const limits = await throttled(current, request);
    if (limits?.refusal) throw limits.refusal;
    const answered = await answer(registry, { server: services, current }, request);
    return limits === null ? answered : withHeaders(answered, limits.headers);
  } catch (error) {
    return refusalOfError(null, error);
  }
}

/** What a request is served from: reads of `current` are no older than the request, those of `server` than themselves. */
interface Served {
  readonly server: Services;
  readonly current: Services & { readonly database: CurrentDatabase };
}

/** From here on it reads what is there now. */
function renew(progress: Progress): void {
  progress.database = progress.services.database.current();
  progress.services = { ...progress.services, database: progress.database };
}

/** The same from the route on: what goes wrong here is an answer too. */
async function answer(registry: Registry, services: Served, request: Incoming): Promise<Answered> {
  let endpoint: Endpoint | null = null;
  try {
    const found = registry.find(request.method, request.path);
    if (found === null) return { endpoint, outgoing: await noRoute(registry, request) };
    endpoint = found.endpoint;
    return { endpoint, outgoing: await run(services, request, found) };
  } catch (error) {
    return refusalOfError(endpoint, error);
  }
}

/** When a database that is away, or too busy, may be back, in seconds. */
const RETRY_AFTER = 10;

function refusalOfError(endpoint: Endpoint | null, error: unknown): Answered {
  if (error instanceof HttpError) return { endpoint, outgoing: refusalReply(error) };
  if (error instanceof QueueFull) return { endpoint, outgoing: refusalReply(unavailable(error.retryAfter)) };
  if (error instanceof DatabaseUnavailable) return { endpoint, outgoing: refusalReply(unavailable(RETRY_AFTER)) };
  // What is in a repository can cost more than one answer may: that is no fault of the server, and will not be better soon.
  if (isOverLimit(error)) return { endpoint, outgoing: refusalReply(unavailable()) };
  if (referenceMissing(error)) return { endpoint, outgoing: refusalReply(conflict()), failure: error };
  return { endpoint, outgoing: refusalReply(serverError()), failure: error };
}

function withHeaders(answered: Answered, headers: Outgoing['headers']): Answered {
  const { outgoing } = answered;
  return { ...answered, outgoing: { ...outgoing, headers: { ...outgoing.headers, ...headers } } };
}

export interface Answered {
  readonly endpoint: Endpoint | null;
  readonly outgoing: Outgoing;
  /** What was thrown behind a 500, or behind a 409 that no endpoint has declared. */
  readonly failure?: unknown;
}

/**
 * Bad text in a form and broken JSON come before the route (stages 1 and 3 before 4), so the body is looked at even here;
 * not where bodies are bytes whatever they say that they are.
 */
async function noRoute(registry: Registry, request: Incoming): Promise<Outgoing> {
  const type = mediaType(request);
  const methods = registry.methods(request.path);
  const known = registry.find(methods[0] ?? '', request.path)?.endpoint;
  if (known?.body !== 'raw' && (type === 'json' || type === 'form')) await readMerged(request);
  if (/^\/api\/v3(\/|$)/.test(request.path)) {
    return refusalReply(new HttpError(410, { error: 'API V3 is no longer supported. Use API V4 instead.' }));
  }
  if (methods.length === 0) throw unknownRoute();
  const allow = [...methods, 'OPTIONS'].join(', ');
  if (request.method === 'OPTIONS') return { status: 204, headers: { Allow: allow, 'Cache-Control': 'no-cache' } };
  throw wrongMethod(allow);
}

/** What is known of one request so far. */
interface Progress {
  services: Services;
  /** With which the request reads. */
  database: CurrentDatabase;
  readonly request: Incoming;
  readonly endpoint: Endpoint;
  readonly path: Readonly<Record<string, string>>;
  /** Query and body parameters as they came. */
  given: Raw;
  caller: Caller;
  params: Readonly<Record<string, unknown>>;
  /** What access has found, which `allow` looks at. */
  found: unknown;
  page: PageRequest;
}

const STAGES: Readonly<Record<Stage, (progress: Progress) => void | Promise<void>>> = {
  body(progress) {
    const { endpoint, request } = progress;
    return hasBody(request) || endpoint.body === 'json' ? readBody(progress) : undefined;
  },

  async credentials(progress) {
    const { services, request, given, endpoint } = progress;
    const identified = await identify(services, presentedCredentials(request, given, endpoint), request);
    await endpoint.access.isEnabled?.(new CallOf({ ...progress, caller: identified.caller ?? ANONYMOUS }));
    if (identified.dead) {
      await endpoint.access.invalidToken?.(new CallOf(progress), identified.dead);
      throw deadToken(identified.dead);
    }
    const sudo = endpoint.root ? null : sudoName(request, given);
    if (sudo === null) checkScopes(endpoint, identified.caller, request.method);
    if (identified.barred) throw barredCaller(identified.barred, request.baseUrl);
    progress.caller = sudo === null ? identified.caller : await actingAs(progress, identified.caller, sudo);
    await endpoint.access.authenticate(new CallOf(progress));
  },

  place: (progress) => progress.endpoint.access.loadParent?.(new CallOf(progress)),

  parameters(progress) {
    const { endpoint, path, given } = progress;
    const problems = new Problems();
    for (const name in path) if (endpoint.params[name] === undefined) string.read(path[name], name, problems);
    const declared = declaredParameters(endpoint);
    const offered = offeredOn(progress.services.config.tier, declared, pathValues(endpoint, path), given);
    progress.params = { ...path, ...readParameters(declared, offered, problems, endpoint.rules) };
    if (problems.any) throw invalidParameters(problems.texts, problems.fields);
    if (endpoint.response.kind === 'page') {
      const all = endpoint.keyset ? Object.assign(Object.create(given), path, progress.params) : progress.params;
      progress.page = pageRequest(all, endpoint.keyset, isSignedIn(progress.caller));
    }
  },

  async find(progress) {
    progress.found = await progress.endpoint.access.load(new CallOf(progress));
  },

  allow: (progress) => progress.endpoint.access.authorize(new CallOf(progress), progress.found as never),

  precondition: (progress) => (progress.endpoint.lastModified ? checkCondition(progress) : undefined),
};

async function readBody(progress: Progress): Promise<void> {
  const { endpoint, request, given } = progress;
  if (endpoint.body === 'merged') progress.given = joined(given, await readMerged(request));
  if (endpoint.body === 'json') progress.given = joined(given, await readJson(request));
  // It may have taken minutes.
  if (hasBody(request)) renew(progress);
}

async function checkCondition({ endpoint, request, found }: Progress): Promise<void> {
  const header = single(request.headers['if-unmodified-since']);
  if (endpoint.lastModified && header !== undefined) {
    checkPrecondition(header, await endpoint.lastModified(endpoint.access.provide(found as never)));
  }
}

/** Goes through the stages in this order; most have nothing to wait for. */
async function pass(stages: readonly Stage[], progress: Progress): Promise<void> {
  for (const stage of stages) {
    const done = STAGES[stage](progress);
    if (done !== undefined) await done;
  }
}

/** Whoever acts as another user needs the scope sudo and no other; acting as oneself gives nothing. */
async function actingAs({ services, request, endpoint }: Progress, caller: Caller, name: string): Promise<Caller> {
  const other = await actAs(services.database.reader, caller, name);
  if (other.user?.id === caller.user?.id) checkScopes(endpoint, caller, request.method);
  return other;
}

async function run({ server, current }: Served, request: Incoming, { endpoint, path }: Found): Promise<Outgoing> {
  // What git reads for this request ends with its client, whoever asks for it.
  const git = gitFor(server.git, request.client);
  const progress: Progress = {
    services: { ...current, git },
    database: current.database,
    request,
    endpoint,
    path,
    given: parseForm(request.query),
    caller: ANONYMOUS,
    params: path,
    found: undefined,
    page: { kind: 'offset', page: 1, perPage: DEFAULT_PER_PAGE },
  };
  await pass(ORDERS[endpoint.stageOrder], progress);
  try {
    const outgoing = await carriedOut(progress, { ...server, git });
    // Whoever has this answer may ask another process next what he has used.
    if (progress.caller.user !== null && server.tokenUses.shared) await server.tokenUses.settled();
    return unlessKnown(request, outgoing);
  } catch (error) {
    if (error instanceof AccessRevoked) throw (await refusalAtTheDoor(progress)) ?? forbidden();
    if (error instanceof RowDeleted) throw (await refusalAtTheDoor(progress)) ?? conflict();
    throw error;
  }
}

/** How often a read is begun of which something goes away meanwhile, or before which something is to be done. */
const READS = 3;

/** A read of what goes away meanwhile, or was not done yet, runs again from the door on, as if it had come a moment later. */
async function carriedOut(progress: Progress, server: Services): Promise<Outgoing> {
  for (let tries = 1; ; tries++) {
    // It takes its own time, and may read again what was read at the door.
    if (progress.endpoint.handler.kind === 'handle') progress.services = server;
    const ready = prepared(progress);
    try {
      return await rememberedAnswer(progress, ready.view, () => carryOut(progress, ready));
    } catch (error) {
      if (progress.endpoint.method !== 'GET' || tries === READS) throw error;
      if (error instanceof OverdueWork) await error.work(server.runUnitOfWork);
      else if (!(error instanceof RowDeleted)) throw error;
      await atTheDoor(progress);
    }
  }
}

/** What whoever was let in would hear if he came now; null: he would be let in. */
async function refusalAtTheDoor(progress: Progress): Promise<unknown> {
  try {
    await atTheDoor(progress);
  } catch (error) {
    return error;
  }
  return null;
}

async function atTheDoor(progress: Progress): Promise<void> {
  const door: readonly Stage[] = ['credentials', 'find', 'allow'];
  renew(progress);
  await pass(
    ORDERS[progress.endpoint.stageOrder].filter((stage) => door.includes(stage)),
    progress,
  );
}

/** What a stage asks access with. A class because several are made for each request. */
class CallOf implements AccessCall {
  readonly caller: Caller;
  readonly path: Progress['path'];
  readonly params: Progress['params'];
  readonly request: Incoming;
  readonly #progress: Progress;

  constructor(progress: Progress) {
    this.caller = progress.caller;
    this.path = progress.path;
    this.params = progress.params;
    this.request = progress.request;
    this.#progress = progress;
  }

  // What is asked late reads what is there then.
  get services(): Services {
    return this.#progress.services;
  }

  get db(): AccessCall['db'] {
    return this.#progress.services.database.reader;
  }
}

/**
 * What the path gives to parameters. A number beyond any id is as good as the largest one, which nothing has: 404 by
 * the lookup, not a wrong parameter (contract/conventions.md §2).
 */
function pathValues(endpoint: Endpoint, path: Progress['path']): Raw {
  const values: Raw = { ...path };
  for (const name in path) {
    const isNumber = isInteger(endpoint.params[name]) && /^[+-]?\d+$/.test(path[name] as string);
    if (!isNumber || Number.isSafeInteger(Number(path[name]))) continue;
    values[name] = path[name]?.startsWith('-') ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
  }
  return values;
}

function isInteger(parameter: Parameters[string] | undefined): boolean {
  const schema: { type?: string } = parameter?.type.schema ?? {};
  return schema.type === 'integer';
}

const DECLARED = new WeakMap<Endpoint, Parameters>();

/** The endpoint's own parameters, then those of its pagination; its own declaration of a name wins. */
export function declaredParameters(endpoint: Endpoint): Parameters {
  const known = DECLARED.get(endpoint);
  if (known) return known;
  const paging = endpoint.response.kind === 'page' ? pageParameters : {};
  const keyset = endpoint.keyset ? keysetParameters : {};
  const general: Parameters = { ...keyset, ...paging };
  const own = Object.keys(endpoint.params);
  const declared = {
    ...endpoint.params,
    ...Object.fromEntries(Object.entries(general).filter(([name]) => !own.includes(name))),
  };
  DECLARED.set(endpoint, declared);
  return declared;
}
