import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleProgram } from '../../scripts/bundler.ts';

/**
 * Bundles the server that is attacked into this directory and returns the path of its program: of all that starting it costs,
 * loading its sources is three quarters. `npm test` makes it anew in each run.
 */
export async function bundleTarget(directory: string): Promise<string> {
  const files = await bundleProgram({ in: join(import.meta.dirname, 'target.ts'), out: 'target' }, directory);
  await mkdir(directory);
  for (const { path, contents } of files) await writeFile(path, contents);
  return join(directory, 'target.js');
}
