import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from './clock.ts';

/**
 * A directory that somebody copies is held: what is to go from it is put out of the way and stays, so that a copy of one
 * moment is not overtaken by what others remove after it. A hold is a file that is touched as long as its process lives; one
 * that nobody touches any more holds nothing.
 */

/** Where holds stand in a directory that can be held. */
export const HOLDS = 'holds';

const TOUCHED_MS = 60_000;
const DEAD_MS = 10 * TOUCHED_MS;

/** Holds a directory, which is made when it is not there, until the function that it returns is called. */
export async function hold(directory: string, clock: Clock): Promise<() => Promise<void>> {
  const holds = join(directory, HOLDS);
  await mkdir(holds, { recursive: true, mode: 0o700 });
  const file = join(holds, randomUUID());
  const touch = () => utimes(file, clock.now(), clock.now());
  await writeFile(file, '', { flag: 'wx', mode: 0o600 });
  await touch();
  const touching = setInterval(() => void touch().catch(() => {}), TOUCHED_MS);
  touching.unref();
  return async () => {
    clearInterval(touching);
    await rm(file, { force: true });
  };
}

/** Is anybody copying this directory? Ask it after the removal has been decided, and before the files go. */
export async function isHeld(directory: string, clock: Clock): Promise<boolean> {
  const holds = join(directory, HOLDS);
  const now = clock.now().getTime();
  for (const name of await readdir(holds).catch(() => [])) {
    const status = await stat(join(holds, name)).catch(() => null);
    if (status === null) continue;
    if (now - status.mtimeMs < DEAD_MS) return true;
    await rm(join(holds, name), { force: true });
  }
  return false;
}
