import type { Endpoint, EndpointDefinition, Method } from '#http/endpoint/endpoint.ts';
import type { ResourceModule, ResourceModules } from '#http/endpoint/resource-module.ts';
import { STAGE_ORDERS, type Stage } from '#http/endpoint/stages.ts';
import { findUnlimitedParameter } from '#http/parameters/declarations.ts';
import { collapseSlashes } from '#text/trim.ts';
import { isCacheable } from '../response/response-cache.ts';
import { API_PREFIX, getFullPath, listPathParameterNames, replaceParameters } from './paths.ts';
import { type RouteMatch, Router } from './router.ts';

/** The registry of all endpoints: finds one by method and raw path, and checks every declaration at start-up. */

const METHODS: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

export interface Registry {
  /** All endpoints, ordered by path, then by method. */
  readonly endpoints: readonly Endpoint[];
  /**
   * Returns the endpoint of a raw path and its parameters; null if there is none. GET endpoints also serve HEAD. `acceptsHtml`:
   * whether the client also gets endpoints with `htmlOnly`.
   */
  find(method: string, path: string, acceptsHtml?: boolean): RouteMatch | null;
  /** Returns the methods of a path, for 405 and OPTIONS; empty for an unknown path, and without endpoints with `htmlOnly`. */
  listMethods(path: string): readonly string[];
}

/**
 * Returns the registry of these modules. Throws for an invalid declaration, and for two endpoints with one name or
 * route.
 */
export function createRegistry(modules: ResourceModules): Registry {
  const endpoints = Object.entries(modules)
    .flatMap(([folder, module]) => collectEndpoints(folder, module))
    .sort(compareRoutes);
  checkNamesAndDeclarations(endpoints);
  checkRoutes(endpoints);
  const router = new Router(endpoints);
  const lookup = (method: string, path: string, acceptsHtml = false): RouteMatch | null => {
    const match = router.find(method, path, acceptsHtml);
    if (match !== null) return match;
    // Repeated slashes count as one, but a file path at the end has matched exactly and keeps its slashes.
    const collapsedPath = collapseSlashes(path);
    return collapsedPath === path ? null : router.find(method, collapsedPath, acceptsHtml);
  };
  return {
    endpoints,
    find: (method, path, acceptsHtml) =>
      lookup(method, path, acceptsHtml) ?? (method === 'HEAD' ? lookup('GET', path, acceptsHtml) : null),
    listMethods(path) {
      const declaredMethods = METHODS.filter((method) => lookup(method, path) !== null);
      return declaredMethods.includes('GET') && !declaredMethods.includes('HEAD')
        ? [...declaredMethods, 'HEAD']
        : declaredMethods;
    },
  };
}

function collectEndpoints(folder: string, { endpoints, sources }: ResourceModule): Endpoint[] {
  return Object.entries(endpoints)
    .filter((entry): entry is [string, EndpointDefinition] => isEndpoint(entry[1]))
    .map(([name, definition]) => ({ ...definition, name, folder, source: sources[name] ?? `${folder}/endpoints.ts` }));
}

function compareRoutes(a: Endpoint, b: Endpoint): number {
  const [first, second] = [getFullPath(a), getFullPath(b)];
  if (first !== second) return first < second ? -1 : 1;
  return METHODS.indexOf(a.method) - METHODS.indexOf(b.method);
}

function isEndpoint(value: unknown): value is EndpointDefinition {
  return typeof value === 'object' && value !== null && 'handler' in value && 'access' in value;
}

function checkNamesAndDeclarations(endpoints: readonly Endpoint[]): void {
  const endpointsByName = new Map<string, Endpoint>();
  for (const endpoint of endpoints) {
    const duplicate = endpointsByName.get(endpoint.name);
    if (duplicate)
      throw new Error(`${endpoint.source}: ${endpoint.name} is also the name of an endpoint in ${duplicate.source}`);
    endpointsByName.set(endpoint.name, endpoint);
    checkDeclaration(endpoint);
  }
}

/**
 * Throws when two endpoints share a route. Names of parameters do not distinguish routes, and neither do their expressions
 * (`(^\\d+$)`), which could match the same segment.
 */
function checkRoutes(endpoints: readonly Endpoint[]): void {
  const endpointsByRoute = new Map<string, Endpoint>();
  for (const endpoint of endpoints) {
    const pathShape = replaceParameters(getFullPath(endpoint), ({ pattern, matchesRest }) =>
      matchesRest ? '*' : pattern === undefined ? ':' : ':()',
    );
    const route = `${endpoint.method} ${pathShape}`;
    const duplicate = endpointsByRoute.get(route);
    if (duplicate)
      throw new Error(
        `${endpoint.source}: ${endpoint.name} cannot be routed: its route is that of ${duplicate.name} in ${duplicate.source}`,
      );
    endpointsByRoute.set(route, endpoint);
  }
}

function checkDeclaration(endpoint: Endpoint): void {
  const throwInvalid = (problem: string) => {
    throw new Error(`${endpoint.source}: ${endpoint.name} ${problem}`);
  };
  if (!endpoint.path.startsWith('/')) throwInvalid(`has a path that does not begin with /: ${endpoint.path}`);
  if (endpoint.path.startsWith(API_PREFIX))
    throwInvalid('has a path that begins with /api/v4, which is added automatically');
  if (endpoint.summary === '' || endpoint.summary.endsWith('.')) throwInvalid('needs a summary without a full stop');
  if (endpoint.response.kind === 'page' && endpoint.method !== 'GET')
    throwInvalid('responds with a page, but is not a GET');
  if (endpoint.keyset && endpoint.response.kind !== 'page')
    throwInvalid('declares keyset, but does not respond with a page');
  if (endpoint.lastModified && endpoint.method !== 'DELETE') throwInvalid('declares lastModified, but is not a DELETE');
  if (isRead(endpoint) && endpoint.activity.length > 0) throwInvalid(`is a ${endpoint.method}, but declares activity`);
  const stages: readonly Stage[] = STAGE_ORDERS[endpoint.stageOrder];
  const readsBody = endpoint.body === 'merged' || endpoint.body === 'json';
  if (!stages.includes('body') && readsBody && !isRead(endpoint) && endpoint.method !== 'DELETE')
    throwInvalid(`has the stage order ${endpoint.stageOrder}, which reads no body, but its body is ${endpoint.body}`);
  if (!stages.includes('credentials') && isCacheable(endpoint)) {
    throwInvalid(
      `declares read, whose response is cached per caller, but its stage order ${endpoint.stageOrder} authenticates nobody: declare handle`,
    );
  }
  const loadsParent = endpoint.access.loadParent !== undefined;
  if (stages.includes('loadParent') !== loadsParent) {
    throwInvalid(
      `has the stage order ${endpoint.stageOrder}, but its access declares ${loadsParent ? 'a' : 'no'} loadParent`,
    );
  }
  if (!stages.includes('precondition') && endpoint.lastModified)
    throwInvalid(`declares lastModified, but its stage order ${endpoint.stageOrder} has no precondition stage`);
  if ((endpoint.body === 'deferred') !== Object.keys(endpoint.fields).length > 0)
    throwInvalid('must declare fields if, and only if, its body is deferred');
  const unlimitedName = findUnlimitedParameter({ ...endpoint.params, ...endpoint.fields });
  if (unlimitedName) throwInvalid(`takes ${unlimitedName} without a length limit: use a type of parameters/texts.ts`);
  const duplicateName = listPathParameterNames(endpoint.path).find(
    (name, index, names) => names.indexOf(name) !== index,
  );
  if (duplicateName) throwInvalid(`has two parameters ${duplicateName} in its path`);
  for (const [code, [status]] of Object.entries(endpoint.errors)) {
    if (status < 300 || status > 599)
      throwInvalid(`declares the error ${code} with the status ${status}, which is not between 300 and 599`);
  }
}

function isRead({ method }: Endpoint): boolean {
  return method === 'GET' || method === 'HEAD';
}
