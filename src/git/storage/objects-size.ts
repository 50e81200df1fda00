import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../repository.ts';

/** Bytes of a repository's objects, loose and packed; 0 while it has no directory. */
export async function objectsSize(repository: Repository): Promise<number> {
  return sizeOf(join(repository.directory, 'objects'));
}

/** One folder at a time: they are 256 and a few, and nobody waits for them alone. */
async function sizeOf(directory: string): Promise<number> {
  let size = 0;
  for (const entry of await entriesOf(directory)) {
    const path = join(directory, entry.name);
    size += entry.isDirectory() ? await sizeOf(path) : await fileSize(path);
  }
  return size;
}

async function entriesOf(directory: string) {
  return unlessGone(readdir(directory, { withFileTypes: true }), []);
}

async function fileSize(path: string): Promise<number> {
  return (await unlessGone(stat(path), { size: 0 })).size;
}

/** Upkeep and pushes put files away while others look. */
async function unlessGone<T, Else>(reading: Promise<T>, otherwise: Else): Promise<T | Else> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise;
    throw error;
  }
}
