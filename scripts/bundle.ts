// Builds dist/hearth.js: the whole server in one module, which starts in a third of the time and memory of the sources. Also
// builds the programs that run in threads and processes.
import { isAscii } from 'node:buffer';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleProgram, replaceFile, root } from './bundler.ts';
import { buildWeb } from './web.ts';

const outdir = join(root, 'dist');

const startedAt = new Date();
await buildWeb();
const { outputFiles } = await bundleProgram({ in: join(root, 'src', 'main.ts'), out: 'hearth' }, outdir);
await mkdir(outdir, { recursive: true });
// The bundler escapes other characters, except in tagged templates.
const server = outputFiles.find(({ path }) => path === join(outdir, 'hearth.js'));
if (!isAscii(server!.contents)) {
  throw new Error(
    'A tagged template contains a character beyond ASCII: the runtime would store the bundle with two bytes per character, 4 MB more. Use an escape.',
  );
}
// The files are dated before the sources were read, so that sources edited meanwhile are newer.
for (const { path, contents } of outputFiles) await replaceFile(path, contents, startedAt);
