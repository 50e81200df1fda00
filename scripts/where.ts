// `npm run where GET /projects/7/environments`: where the endpoint that answers this is declared, as file:line.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { families } from '#api/index.ts';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { createRegistry, type Registry } from '#http/server/routing/registry.ts';

const api = join(import.meta.dirname, '../src/api');

/** What is said, and whether it was found. */
export interface Told {
  readonly found: boolean;
  readonly text: string;
}

export function where([verb, given]: readonly string[]): Told {
  if (verb === undefined || given === undefined) {
    return { found: false, text: 'Usage: npm run where GET /projects/7/environments' };
  }
  const method = verb.toUpperCase();
  const registry = createRegistry(families);
  const path = given.replace(/^https?:\/\/[^/]+/, '').split('?', 1)[0] ?? '';
  for (const candidate of candidates(path)) {
    const found = registry.find(method, candidate);
    if (found === null) continue;
    return { found: true, text: `${placeOf(found.endpoint)}  ${found.endpoint.name}` };
  }
  return { found: false, text: unknown(registry, method, path) };
}

/** As it stands, then below /api/v4. */
function candidates(path: string): string[] {
  const absolute = path.startsWith('/') ? path : `/${path}`;
  return absolute.startsWith('/api/v4/') ? [absolute] : [`/api/v4${absolute}`, absolute];
}

function placeOf({ name, source }: Endpoint): string {
  const file = join(api, source);
  const lines = readFileSync(file, 'utf8').split('\n');
  // Alone, or as one of the two that a declaration for both kinds of parents makes.
  const declared = new RegExp(`^export const (${name} |\\[.*\\b${name}\\b)`);
  const index = lines.findIndex((line) => declared.test(line));
  return `${relative(process.cwd(), file)}:${Math.max(index, 0) + 1}`;
}

function unknown(registry: Registry, method: string, path: string): string {
  const others = candidates(path).flatMap((candidate) => registry.methods(candidate));
  if (others.length > 0)
    return `No endpoint answers ${method} ${path}; the path knows ${[...new Set(others)].join(', ')}.`;
  const hint = /^\/(projects|groups)\/[^/]+\/[^/]+/.test(path)
    ? ' A full path in place of an id is one segment: group%2Fproject.'
    : '';
  return `No endpoint answers ${path} with any method.${hint} All of them: api.txt.`;
}

if (import.meta.main) {
  const { found, text } = where(process.argv.slice(2));
  (found ? process.stdout : process.stderr).write(`${text}\n`);
  process.exitCode = found ? 0 : 1;
}
