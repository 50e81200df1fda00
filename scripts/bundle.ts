// Builds dist/: dist/hearth.js, the server, which starts in a third of the time and memory of the sources, the programs that it runs
// in threads and processes, the modules that they import, and the files of the web application.
import { isAscii } from 'node:buffer';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { bundleProgram, replaceFile, root } from './bundler.ts';
import { buildWeb } from './web.ts';

const outdir = join(root, 'dist');

const startedAt = new Date();
await buildWeb();
const files = await bundleProgram({ in: join(root, 'src', 'main.ts'), out: 'hearth' }, outdir);
await mkdir(outdir, { recursive: true });
// The bundler escapes other characters, except in tagged templates.
const wide = files.find(
  ({ path, contents }) => path.endsWith('.js') && contents.length > 200_000 && !isAscii(contents),
);
if (wide !== undefined) {
  throw new Error(
    `A tagged template in ${wide.path} contains a character beyond ASCII: the runtime would store the module with two bytes per character, up to 2 MB more. Use an escape.`,
  );
}
// The files are dated before the sources were read, so that sources edited meanwhile are newer.
for (const { path, contents } of files) await replaceFile(path, contents, startedAt);
const names = new Set(files.map(({ path }) => basename(path)));
for (const name of await readdir(outdir))
  if (/\.js(?:\.map)?$/.test(name) && !names.has(name)) await rm(join(outdir, name), { force: true });
