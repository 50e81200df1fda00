import { type Static, Type } from 'typebox';
import type { ListedEntry } from '../../../git/tree-list.ts';
import { shape } from '../../../http/endpoint/answers.ts';

/** A folder, file or submodule of a tree (contract/repository.md §4). */
export const TreeEntry = shape('TreeEntry', {
  id: Type.String(),
  name: Type.String(),
  type: Type.Enum(['tree', 'blob', 'commit']),
  path: Type.String(),
  mode: Type.String(),
});

/** `folder`: where the listed tree stands in its repository; empty for the root. */
export function treeEntries(entries: readonly ListedEntry[], folder: string): Static<typeof TreeEntry>[] {
  const before = folder === '' ? '' : `${folder}/`;
  return entries.map(({ id, type, mode, path }) => {
    const shown = path.toWellFormed();
    return { id, name: shown.slice(shown.lastIndexOf('/') + 1), type, path: before + shown, mode };
  });
}
