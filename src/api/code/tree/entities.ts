import { Type } from 'typebox';
import type { ListedEntry } from '#git/trees/tree-list.ts';
import { entity } from '#http/endpoint/entity.ts';
import { firstBytes } from '#text/trim.ts';

/** An entry as its tree lists it. */
export interface TreeRow {
  readonly entry: ListedEntry;
  /** Where the listed tree stands in its repository, without slashes at its ends; empty for the root. */
  readonly folder: string;
}

/** In bytes (contract/conventions.md §3 "Limits of texts"). */
const LONGEST_PATH = 4096;

/** A folder, file or submodule of a tree (contract/repository.md §4). */
export const TreeEntry = entity('TreeEntry', {
  id: Type.String(),
  name: Type.String(),
  type: Type.Enum(['tree', 'blob', 'commit']),
  path: Type.String(),
  mode: Type.String(),
}).from(({ entry: { id, type, mode, path }, folder }: TreeRow) => {
  const shown = firstBytes(path.toWellFormed(), LONGEST_PATH);
  const name = shown.slice(shown.lastIndexOf('/') + 1);
  return { id, name, type, path: folder === '' ? shown : `${folder}/${shown}`, mode };
});
