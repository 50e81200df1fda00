// Makes dist/hearth.js: the whole server in one module, which starts in a third of the time and memory of the sources; and
// beside it what runs in threads and processes of its own, and the tables of a new database.
import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { systemClock } from '../src/clock.ts';
import { type AllTables, readAllTables } from '../src/database/all-tables.ts';
import { openDatabase } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';

const root = join(import.meta.dirname, '..');
const outdir = join(root, 'dist');

// Libraries in CommonJS that are bundled into a module still ask for these.
const banner = `import { createRequire as __createRequire } from 'node:module';
const require = __createRequire(import.meta.url);
const __filename = import.meta.filename;
const __dirname = import.meta.dirname;`;

async function tablesOfNew(): Promise<AllTables> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hearth-bundle-'));
  const database = await openDatabase({ dataDir, clock: systemClock });
  try {
    return await readAllTables(database.reader, await migrate(database));
  } finally {
    await database.close();
    await rm(dataDir, { recursive: true });
  }
}

const started = new Date();
// In a process of its own, beside which the tables are made.
const bundling = build({
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

// Its failure is told once what is made beside it has been cleared away.
bundling.catch(() => undefined);
const tables = JSON.stringify(await tablesOfNew());
const { outputFiles } = await bundling;
await mkdir(outdir, { recursive: true });
// The tables first: of other migrations than the bundle's they are not used.
for (const { path, contents } of [{ path: join(outdir, 'tables.json'), contents: tables }, ...outputFiles]) {
  // Two starts at once may both make the bundle: each puts a whole one in place.
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, contents);
  // As old as its sources were read: what was edited meanwhile is newer.
  await utimes(draft, started, started);
  await rename(draft, path).finally(() => rm(draft, { force: true }));
}
