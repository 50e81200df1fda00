import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from './clock.ts';

/**
 * A deletion guard protects a directory while it is copied: files to delete are moved aside and stay, so that the copy remains
 * consistent. A guard is a file that its process touches regularly; a guard that is no longer touched has expired.
 */

/** The subdirectory that contains the guard files. */
export const GUARDS_DIRECTORY = 'holds';

const TOUCH_INTERVAL_MS = 60_000;
const EXPIRY_MS = 10 * TOUCH_INTERVAL_MS;

/** Guards a directory, creating it if needed, until the returned function is called. */
export async function acquireDeletionGuard(directory: string, clock: Clock): Promise<() => Promise<void>> {
  const guardsDirectory = join(directory, GUARDS_DIRECTORY);
  await mkdir(guardsDirectory, { recursive: true, mode: 0o700 });
  const file = join(guardsDirectory, randomUUID());
  const touch = () => utimes(file, clock.now(), clock.now());
  await writeFile(file, '', { flag: 'wx', mode: 0o600 });
  await touch();
  // A touch that fails is repeated at the next interval, well before the guard expires.
  const touchTimer = setInterval(() => void touch().catch(() => {}), TOUCH_INTERVAL_MS);
  touchTimer.unref();
  return async () => {
    clearInterval(touchTimer);
    await rm(file, { force: true });
  };
}

/** Returns whether the directory is being copied. Call it after the deletion is decided and before the files are deleted. */
export async function hasDeletionGuard(directory: string, clock: Clock): Promise<boolean> {
  const guardsDirectory = join(directory, GUARDS_DIRECTORY);
  const now = clock.now().getTime();
  for (const name of await readdir(guardsDirectory).catch(() => [])) {
    const status = await stat(join(guardsDirectory, name)).catch(() => null);
    if (status === null) continue;
    if (now - status.mtimeMs < EXPIRY_MS) return true;
    await rm(join(guardsDirectory, name), { force: true });
  }
  return false;
}
