import type { TreeEntry } from '../objects/object-parser.ts';
import { encodeName } from '../ref-names.ts';

/** A stored tree with too many entries to be parsed for a small change. */
export interface LargeTree {
  findEntry(name: string): Promise<TreeEntry | null>;
  /** The bytes of the tree object. */
  content(): Promise<Buffer>;
}

/** Number of entries that are scanned per iteration of the event loop. */
const ENTRIES_PER_ITERATION = 10_000;

/**
 * Returns the bytes of a tree without the entries of `names` and with `entries`, which must be in git's order. Other
 * entries are copied unchanged.
 */
export async function replaceEntries(
  content: Buffer,
  names: readonly string[],
  entries: readonly TreeEntry[],
): Promise<Buffer> {
  const replacedNames = new Set(names.map((name) => encodeName(name).toString('latin1')));
  const addedEntries = entries.map((entry) => ({
    key: toSortKey(encodeName(entry.name), entry.type === 'tree'),
    entry,
  }));
  const parts: Buffer[] = [];
  let copiedUntil = 0;
  let nextAddedIndex = 0;
  let entryCount = 0;
  for (let offset = 0; offset < content.length; ) {
    const spaceIndex = content.indexOf(0x20, offset);
    const nulIndex = content.indexOf(0, spaceIndex);
    const end = nulIndex + 21;
    if (spaceIndex < 0 || nulIndex < 0 || end > content.length) throw new Error('A tree object ends within an entry');
    const name = content.subarray(spaceIndex + 1, nulIndex);
    const isReplaced = replacedNames.has(name.toString('latin1'));
    const firstAddedIndex = nextAddedIndex;
    if (nextAddedIndex < addedEntries.length) {
      const key = toSortKey(name, content[offset] === DIRECTORY_MODE_DIGIT);
      while (nextAddedIndex < addedEntries.length && Buffer.compare(addedEntries[nextAddedIndex]!.key, key) < 0)
        nextAddedIndex += 1;
    }
    if (isReplaced || nextAddedIndex > firstAddedIndex) {
      parts.push(
        content.subarray(copiedUntil, offset),
        ...addedEntries.slice(firstAddedIndex, nextAddedIndex).map(({ entry }) => formatEntry(entry)),
      );
      copiedUntil = isReplaced ? end : offset;
    }
    offset = end;
    entryCount += 1;
    if (entryCount % ENTRIES_PER_ITERATION === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  parts.push(
    content.subarray(copiedUntil),
    ...addedEntries.slice(nextAddedIndex).map(({ entry }) => formatEntry(entry)),
  );
  return Buffer.concat(parts);
}

/** First digit of the mode of a directory, which is stored without its zero. No other mode begins with 4. */
const DIRECTORY_MODE_DIGIT = 0x34;

/** Returns the sort key of an entry: its bytes; a directory sorts as if its name ended in `/`. */
export function toSortKey(name: Buffer, isDirectory: boolean): Buffer {
  return isDirectory ? Buffer.concat([name, SLASH]) : name;
}

const SLASH = Buffer.from('/');

function formatEntry({ mode, name, id }: TreeEntry): Buffer {
  return Buffer.concat([
    Buffer.from(`${mode.replace(/^0/, '')} `, 'latin1'),
    encodeName(name),
    Buffer.from([0]),
    Buffer.from(id, 'hex'),
  ]);
}
