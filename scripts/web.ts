// Builds dist/web: the files of the web application.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWeb, root } from './bundler.ts';

const directory = join(root, 'dist/web');

/** Writes the files and removes those of earlier builds. */
export async function buildWeb(): Promise<void> {
  const files = await bundleWeb();
  await mkdir(directory, { recursive: true });
  for (const [name, content] of files) await writeFile(join(directory, name), content);
  for (const name of await readdir(directory)) if (!files.has(name)) await rm(join(directory, name), { force: true });
}

if (import.meta.main) await buildWeb();
