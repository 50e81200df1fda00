import { Type } from 'typebox';
import type { TreeListEntry } from '#git/trees/tree-list.ts';
import { entity } from '#http/endpoint/entity.ts';
import { truncateToBytes } from '#text/trim.ts';

/** An entry of a listed tree. */
export interface TreeRow {
  readonly entry: TreeListEntry;
  /** The path of the listed tree, without slashes at its ends; empty for the root. */
  readonly folder: string;
}

/** Maximum bytes of a path (contract/conventions.md §3 "Limits of texts"). */
const MAX_PATH_BYTES = 4096;

/** A folder, file or submodule of a tree (contract/repository.md §4). */
export const TreeEntry = entity('TreeEntry', {
  id: Type.String(),
  name: Type.String(),
  type: Type.Enum(['tree', 'blob', 'commit']),
  path: Type.String(),
  mode: Type.String(),
}).from(({ entry: { id, type, mode, path }, folder }: TreeRow) => {
  const truncatedPath = truncateToBytes(path.toWellFormed(), MAX_PATH_BYTES);
  const name = truncatedPath.slice(truncatedPath.lastIndexOf('/') + 1);
  return { id, name, type, path: folder === '' ? truncatedPath : `${folder}/${truncatedPath}`, mode };
});
