// `npm run where GET /projects/7/environments` prints the file and line that declare the endpoint, `npm run where /explore` those
// of a page of the web application.
import { join, relative } from 'node:path';
import { resourceModules } from '#api/index.ts';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { createRegistry, type Registry } from '#http/server/routing/registry.ts';
import { matchAddress } from '../web/addresses.ts';
import { findDeclaration } from './endpoint-declarations.ts';
import { listPageSources } from './pages.ts';

const api = join(import.meta.dirname, '../src/api');

export interface WhereResult {
  readonly found: boolean;
  readonly text: string;
}

export function locateEndpoint([verb, target]: readonly string[]): WhereResult {
  if (verb?.startsWith('/')) return locatePage(verb);
  if (verb === undefined || target === undefined) {
    return { found: false, text: 'Usage: npm run where GET /projects/7/environments, or npm run where /explore' };
  }
  const method = verb.toUpperCase();
  const registry = createRegistry(resourceModules);
  const path = target.replace(/^https?:\/\/[^/]+/, '').split('?', 1)[0] ?? '';
  for (const candidate of toCandidatePaths(path)) {
    const match = registry.find(method, candidate);
    if (match !== null) return { found: true, text: `${formatLocation(match.endpoint)}  ${match.endpoint.name}` };
  }
  return { found: false, text: describeMissing(registry, method, path) };
}

function locatePage(path: string): WhereResult {
  const match = matchAddress(path);
  if (match === null)
    return { found: false, text: `No page has the address ${path}. See web/pages.txt for all pages.` };
  const { file, line, name } = listPageSources().find((page) => page.name === match.name)!;
  return { found: true, text: `${relative(process.cwd(), join(api, '../../web', file))}:${line}  ${name}` };
}

/** Returns the path below /api/v4 first, then the path as it is. */
function toCandidatePaths(path: string): string[] {
  const absolute = path.startsWith('/') ? path : `/${path}`;
  return absolute.startsWith('/api/v4/') ? [absolute] : [`/api/v4${absolute}`, absolute];
}

function formatLocation(endpoint: Endpoint): string {
  const declaration = findDeclaration(endpoint);
  if (declaration === null) throw new Error(`No file of src/api/${endpoint.folder} declares ${endpoint.name}`);
  return `${relative(process.cwd(), join(api, declaration.source))}:${declaration.line}`;
}

function describeMissing(registry: Registry, method: string, path: string): string {
  const methods = toCandidatePaths(path).flatMap((candidate) => registry.listMethods(candidate));
  if (methods.length > 0) {
    return `No endpoint answers ${method} ${path}. Methods of this path: ${[...new Set(methods)].join(', ')}.`;
  }
  const hint = /^\/(projects|groups)\/[^/]+\/[^/]+/.test(path)
    ? ' Write a full path in place of an id as one segment: group%2Fproject.'
    : '';
  return `No endpoint answers ${path}.${hint} See api.txt for all endpoints.`;
}

if (import.meta.main) {
  const { found, text } = locateEndpoint(process.argv.slice(2));
  (found ? process.stdout : process.stderr).write(`${text}\n`);
  process.exitCode = found ? 0 : 1;
}
