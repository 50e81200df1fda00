// Finds the file and line in which an endpoint is declared, by following the imports and re-exports of its resource.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Endpoint } from '#http/endpoint/endpoint.ts';

const api = join(import.meta.dirname, '../src/api');

const PAGES = 'instance/web/pages.ts';

export interface Declaration {
  /** Path below src/api. */
  readonly source: string;
  /** Line number, from 1. */
  readonly line: number;
}

/** Returns where the endpoint is declared, or null if no file of its resource declares its name. */
export function findDeclaration({ folder, name, htmlOnly }: Endpoint): Declaration | null {
  // One statement declares the endpoints of all pages of the web application.
  if (htmlOnly) return { source: PAGES, line: findLine(readFileSync(join(api, PAGES), 'utf8'), 'webPages')! };
  for (const file of endpointFiles(folder)) {
    const line = findLine(readFileSync(file, 'utf8'), name);
    if (line !== null) return { source: relative(api, file), line };
  }
  return null;
}

const filesByFolder = new Map<string, readonly string[]>();

/** Returns the files that declare endpoints of a resource: `endpoints.ts`, what it re-exports, and what `index.ts` adds. */
function endpointFiles(folder: string): readonly string[] {
  const cachedFiles = filesByFolder.get(folder);
  if (cachedFiles !== undefined) return cachedFiles;
  const index = join(api, folder, 'index.ts');
  const importedPaths = [...readIfExists(index).matchAll(/^import \* as \w+ from '(\.[^']*)'/gm)].map(
    ([, path]) => path!,
  );
  const files: string[] = [];
  for (const path of ['./endpoints.ts', ...importedPaths]) addFile(files, join(dirname(index), path));
  filesByFolder.set(folder, files);
  return files;
}

function addFile(files: string[], file: string): void {
  if (files.includes(file) || !existsSync(file)) return;
  files.push(file);
  for (const [, path] of readIfExists(file).matchAll(/^export (?:\*|\{[^}]*\}) from '(\.[^']*)'/gm)) {
    addFile(files, join(dirname(file), path!));
  }
}

function readIfExists(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Matches `export const name` and `export const [name, other] =`, which may span several lines. */
const EXPORT_PATTERN = /^export const (?:(\w+)|([[{][^\]}]*[\]}]))/gm;

/** Returns the line on which the name is exported, or null. */
function findLine(text: string, name: string): number | null {
  for (const match of text.matchAll(EXPORT_PATTERN)) {
    const [whole, single, nameList = ''] = match;
    const nameOffset = single === name ? 0 : single === undefined ? nameList.search(new RegExp(`\\b${name}\\b`)) : -1;
    if (nameOffset === -1) continue;
    const position = match.index + (single === name ? 0 : whole.length - nameList.length + nameOffset);
    return text.slice(0, position).split('\n').length;
  }
  return null;
}
