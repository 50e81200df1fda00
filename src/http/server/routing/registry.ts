import FindMyWay from 'find-my-way';
import type { Endpoint, EndpointDefinition, Method } from '#http/endpoint/endpoint.ts';
import type { Families } from '#http/endpoint/resource-module.ts';
import { ORDERS, type Stage } from '#http/endpoint/stages.ts';
import { unlimitedParameter } from '#http/parameters/unlimited.ts';
import { isRemembered } from '../response/response-cache.ts';
import { pathNames, replaceParameters } from './paths.ts';

/** All endpoints of this process: finding one by method and raw path, and the checks made when they are put together. */

const API = '/api/v4';
const METHODS: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

export interface Registry {
  readonly endpoints: readonly Endpoint[];
  find(method: string, path: string): Found | null;
  /** The methods that the path knows, for 405 and OPTIONS; empty for an unknown path. */
  methods(path: string): readonly string[];
}

export interface Found {
  readonly endpoint: Endpoint;
  readonly path: Readonly<Record<string, string>>;
}

type Router = ReturnType<typeof FindMyWay>;

export function createRegistry(families: Families): Registry {
  const endpoints = Object.entries(families).flatMap(([folder, { endpoints: module }]) => named(folder, module));
  checkNames(endpoints);
  checkRoutes(endpoints);
  const router = FindMyWay({ maxParamLength: 8192, ignoreTrailingSlash: false, caseSensitive: true });
  const tails: TailRoute[] = [];
  for (const endpoint of endpoints) {
    if (endpoint.path.startsWith('/*')) tails.push(tailRoute(endpoint));
    else addRoute(router, endpoint);
  }
  const lookup = (method: string, sent: string): Found | null => {
    const path = sent.startsWith(API) ? squeezed(sent) : sent;
    const found = router.find(method as never, path);
    if (found === null) return findTail(tails, method, path);
    const { endpoint, wildcard } = found.store as Routed;
    const values = found.params['*'] === undefined ? found.params : withRest(found.params, wildcard);
    // An empty segment names nothing: `/projects/` is no project.
    for (const name in values) if (values[name] === '') return null;
    return { endpoint, path: values as Found['path'] };
  };
  return {
    endpoints,
    find: (method, path) => lookup(method, path) ?? (method === 'HEAD' ? lookup('GET', path) : null),
    methods(path) {
      const known = METHODS.filter((method) => lookup(method, path) !== null);
      return known.includes('GET') && !known.includes('HEAD') ? [...known, 'HEAD'] : known;
    },
  };
}

type Params = Readonly<Record<string, string | undefined>>;

function withRest({ '*': rest, ...named }: Params, wildcard: string): Params {
  return { ...named, [wildcard]: rest };
}

/** Real clients write `/features/` and `/features//name`: slashes in a row are one, one at the end is none, as in the reference. */
function squeezed(path: string): string {
  const single = path.includes('//') ? path.replace(/\/{2,}/g, '/') : path;
  return single.endsWith('/') ? single.slice(0, -1) : single;
}

function named(folder: string, module: Readonly<Record<string, unknown>>): Endpoint[] {
  return Object.entries(module)
    .filter((entry): entry is [string, EndpointDefinition] => isDeclared(entry[1]))
    .sort(([, a], [, b]) => a.position - b.position)
    .map(([name, declared]) => ({ ...declared, name, source: `${folder}/endpoints.ts` }));
}

function isDeclared(value: unknown): value is EndpointDefinition {
  return typeof value === 'object' && value !== null && 'handler' in value && 'access' in value;
}

function checkNames(endpoints: readonly Endpoint[]): void {
  const seen = new Map<string, Endpoint>();
  for (const endpoint of endpoints) {
    const twin = seen.get(endpoint.name);
    if (twin) throw new Error(`${endpoint.source}: ${endpoint.name} is also the name of an endpoint in ${twin.source}`);
    seen.set(endpoint.name, endpoint);
    checkDeclaration(endpoint);
  }
}

/** Names of parameters don't tell routes apart, and the router takes one expression a place: `(^\\d+$)`, or another. */
function checkRoutes(endpoints: readonly Endpoint[]): void {
  const seen = new Map<string, Endpoint>();
  for (const endpoint of endpoints) {
    const shape = replaceParameters(fullPath(endpoint), ({ pattern, rest }) =>
      rest ? '*' : pattern === undefined ? ':' : ':()',
    );
    const route = `${endpoint.method} ${shape}`;
    const twin = seen.get(route);
    if (twin)
      throw new Error(
        `${endpoint.source}: ${endpoint.name} cannot be routed: its route is that of ${twin.name} in ${twin.source}`,
      );
    seen.set(route, endpoint);
  }
}

function checkDeclaration(endpoint: Endpoint): void {
  const complain = (what: string) => {
    throw new Error(`${endpoint.source}: ${endpoint.name} ${what}`);
  };
  if (!endpoint.path.startsWith('/')) complain(`has a path that does not begin with /: ${endpoint.path}`);
  if (endpoint.path.startsWith(API)) complain('has a path that begins with /api/v4, which it gets by itself');
  if (endpoint.summary === '' || endpoint.summary.endsWith('.')) complain('needs a summary without a full stop');
  if (endpoint.response.kind === 'page' && endpoint.method !== 'GET') complain('answers a page, but is not a GET');
  if (endpoint.keyset && endpoint.response.kind !== 'page') complain('declares keyset, but does not answer a page');
  if (endpoint.lastModified && endpoint.method !== 'DELETE') complain('is conditional, but is not a DELETE');
  if (isRead(endpoint) && endpoint.activity.length > 0) complain(`is a ${endpoint.method} and records history`);
  const stages: readonly Stage[] = ORDERS[endpoint.stageOrder];
  const bodyIsForUs = endpoint.body === 'merged' || endpoint.body === 'json';
  if (!stages.includes('body') && bodyIsForUs && !isRead(endpoint) && endpoint.method !== 'DELETE') {
    complain(`has the order ${endpoint.stageOrder}, which reads no body, but its body is ${endpoint.body}`);
  }
  if (!stages.includes('credentials') && isRemembered(endpoint)) {
    complain(
      `reads, and is remembered for its caller, whom its order ${endpoint.stageOrder} does not know: it has to handle`,
    );
  }
  const findsPlace = endpoint.access.loadParent !== undefined;
  if (stages.includes('place') !== findsPlace) {
    complain(`has the order ${endpoint.stageOrder}, but its access finds ${findsPlace ? 'a' : 'no'} place first`);
  }
  if (!stages.includes('precondition') && endpoint.lastModified) {
    complain(`is conditional, but its order ${endpoint.stageOrder} looks at no condition`);
  }
  if ((endpoint.body === 'late') !== Object.keys(endpoint.fields).length > 0) {
    complain('has to declare the fields of its body, which is read late, or has none to declare');
  }
  const unlimited = unlimitedParameter({ ...endpoint.params, ...endpoint.fields });
  if (unlimited) complain(`takes ${unlimited} without a limit: parameters/texts.ts has texts of every kind`);
  const twice = pathNames(endpoint.path).find((name, index, names) => names.indexOf(name) !== index);
  if (twice) complain(`has two parameters ${twice} in its path`);
  for (const [code, [status]] of Object.entries(endpoint.errors)) {
    if (status < 300 || status > 599) complain(`refuses ${code} with the status ${status}`);
  }
}

function isRead({ method }: Endpoint): boolean {
  return method === 'GET' || method === 'HEAD';
}

export function fullPath(endpoint: Pick<Endpoint, 'root' | 'path'>): string {
  return endpoint.root ? endpoint.path : `${API}${endpoint.path}`;
}

/** What the router keeps: `wildcard` is the name of the rest of the path, `/artifacts/*path`. */
interface Routed {
  readonly endpoint: Endpoint;
  readonly wildcard: string;
}

function addRoute(router: Router, endpoint: Endpoint): void {
  const path = fullPath(endpoint);
  const wildcard = /\*(\w*)$/.exec(path)?.[1] || '*';
  const routed: Routed = { endpoint, wildcard };
  // One that is declared with a slash at its end is served without it too.
  const spellings = path.length > 1 && path.endsWith('/') ? [path, path.slice(0, -1)] : [path];
  try {
    for (const each of spellings) {
      router.on(endpoint.method, each.replace(/\*\w+$/, '*'), () => {}, routed as never);
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${endpoint.source}: ${endpoint.name} cannot be routed: ${reason}`);
  }
}

/**
 * Root paths that begin with several plain segments, `/*repository_path.git/info/refs`: a namespace may be nested, so
 * the known part is the tail. The first `*name` is the rest of the path before it.
 */
interface TailRoute {
  readonly endpoint: Endpoint;
  readonly pattern: RegExp;
  readonly names: readonly string[];
}

function tailRoute(endpoint: Endpoint): TailRoute {
  const names: string[] = [];
  const source = endpoint.path.slice(1).replace(/\*(\w+)|:(\w+)|[.$()]/g, (match, rest?: string, one?: string) => {
    if (rest === undefined && one === undefined) return `\\${match}`;
    names.push((rest ?? one) as string);
    return rest === undefined ? '([^/]+)' : '([^/]+(?:/[^/]+)*?)';
  });
  return { endpoint, pattern: new RegExp(`^/${source}$`), names };
}

function findTail(tails: readonly TailRoute[], method: string, path: string): Found | null {
  for (const { endpoint, pattern, names } of tails) {
    if (endpoint.method !== method) continue;
    const match = pattern.exec(path);
    if (match === null) continue;
    const values = names.map((name, index) => [name, decoded(match[index + 1] ?? '')] as const);
    if (values.every(([, value]) => value !== null))
      return { endpoint, path: Object.fromEntries(values) as Found['path'] };
  }
  return null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
