import { MAX_FILE_LENGTH, type ReadFile, TOO_LARGE } from '#api/pipelines/ci-file/index.ts';
import type { Git } from '#git/git.ts';
import { readObject } from '#git/objects/object-reader.ts';
import type { Repository } from '#git/repository.ts';
import { findEntryAtPath } from '#git/trees/path-entries.ts';

/** Creates a function that reads CI files and their includes at a commit. Symbolic links count as missing. */
export function createFileReader(git: Git, repository: Repository, commit: string): ReadFile {
  return async (path) => {
    const entry = await findEntryAtPath(git, repository, commit, path);
    if (entry?.type !== 'blob' || entry.mode === SYMLINK_MODE) return null;
    // UTF-8 uses up to four bytes per character, so this limit rejects no text within the character limit.
    const object = await readObject(git, repository, entry.id, MAX_FILE_LENGTH * 4);
    if (object === null) return null;
    return object.content === null ? TOO_LARGE : object.content.toString('utf8');
  };
}

const SYMLINK_MODE = '120000';
