import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A new directory for a test. Below the run's own one, which `npm test` names and removes; for a file that is run
 * directly, in memory where there is enough: making hundreds of files takes a disk long.
 */
export async function scratchDirectory(prefix: string): Promise<string> {
  return mkdtemp(join(process.env.HEARTH_TEST_SCRATCH ?? (await roomyMemory()), prefix));
}

async function roomyMemory(): Promise<string> {
  const memory = '/dev/shm';
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize > 2 ** 30 ? memory : tmpdir();
}
