// Builds dist/web: the files of the web application, compressed.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { bundleWeb, isDraft, replaceFile, root } from './bundler.ts';

const directory = join(root, 'dist/web');

/** Writes the files and removes those of earlier builds. */
export async function buildWeb(): Promise<void> {
  const files = new Map([...(await bundleWeb())].map(([name, content]) => [`${name}.br`, brotliCompressSync(content)]));
  await mkdir(directory, { recursive: true });
  const startedAt = new Date();
  for (const [name, content] of files) await replaceFile(join(directory, name), content, startedAt);
  for (const name of await readdir(directory))
    if (!files.has(name) && !isDraft(name)) await rm(join(directory, name), { force: true });
}

if (import.meta.main) await buildWeb();
