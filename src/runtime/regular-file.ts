import { constants, type FileHandle, open } from 'node:fs/promises';

/**
 * Opens a file for reading. Returns null if it is not a regular file: to open a pipe would wait for its writer. Rejects
 * if it cannot be opened.
 */
export async function openRegularFile(path: string): Promise<FileHandle | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  return null;
}
