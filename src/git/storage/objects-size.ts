import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrorCode } from '#runtime/failure.ts';
import type { Repository } from '../repository.ts';

/** Returns the size of a repository's objects in bytes, loose and packed; 0 for a missing repository. */
export async function measureObjects(repository: Repository): Promise<number> {
  return measureDirectory(join(repository.directory, 'objects'));
}

/** Returns the size of a directory in bytes. Reads one directory at a time, to limit the load. */
async function measureDirectory(directory: string): Promise<number> {
  let size = 0;
  for (const entry of await listEntries(directory)) {
    const path = join(directory, entry.name);
    size += entry.isDirectory() ? await measureDirectory(path) : await measureFile(path);
  }
  return size;
}

async function listEntries(directory: string) {
  return fallbackIfMissing(readdir(directory, { withFileTypes: true }), []);
}

async function measureFile(path: string): Promise<number> {
  return (await fallbackIfMissing(stat(path), { size: 0 })).size;
}

/** Returns the fallback for a missing file: maintenance and pushes may remove files meanwhile. */
async function fallbackIfMissing<T, Else>(result: Promise<T>, fallback: Else): Promise<T | Else> {
  try {
    return await result;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return fallback;
    throw error;
  }
}
