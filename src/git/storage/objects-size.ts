import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../repository.ts';

/** Returns the size of a repository's objects in bytes, loose and packed; 0 for a missing repository. */
export async function measureObjects(repository: Repository): Promise<number> {
  return sizeOf(join(repository.directory, 'objects'));
}

/** Reads one folder at a time, to limit the load. */
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

/** Maintenance and pushes may remove files meanwhile. */
async function unlessGone<T, Else>(reading: Promise<T>, otherwise: Else): Promise<T | Else> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise;
    throw error;
  }
}
