// Makes dist/hearth.js, and beside it what runs in threads and processes of its own: the whole server in one module, which starts in a third of the time and memory of the sources.
import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const outdir = join(root, 'dist');

// Libraries in CommonJS that are bundled into a module still ask for these.
const banner = `import { createRequire as __createRequire } from 'node:module';
const require = __createRequire(import.meta.url);
const __filename = import.meta.filename;
const __dirname = import.meta.dirname;`;

const started = new Date();
const { outputFiles } = await build({
  entryPoints: [
    { in: join(root, 'src', 'main.ts'), out: 'hearth' },
    { in: join(root, 'src', 'database', 'reading-thread-program.ts'), out: 'reading-thread-program' },
    { in: join(root, 'src', 'markdown', 'program.ts'), out: 'markdown-program' },
    { in: join(root, 'src', 'git', 'starter-program.ts'), out: 'starter-program' },
  ],
  outdir,
  write: false,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // Names stay, for stack traces that can be read.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // Read only by `node --enable-source-maps`.
  sourcemap: 'linked',
  sourcesContent: false,
  banner: { js: banner },
  // Optional native driver of pg, and its transport for another runtime: neither is installed nor used. What sends mails is
  // loaded by servers that send some.
  external: ['pg-native', 'cloudflare:sockets', 'nodemailer'],
  absWorkingDir: root,
  logLevel: 'warning',
});

await mkdir(outdir, { recursive: true });
for (const { path, contents } of outputFiles) {
  // Two starts at once may both make the bundle: each puts a whole one in place.
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, contents);
  // As old as its sources were read: what was edited meanwhile is newer.
  await utimes(draft, started, started);
  await rename(draft, path).finally(() => rm(draft, { force: true }));
}
