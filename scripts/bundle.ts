// Makes dist/hearth.js: the whole server in one module, which starts in a third of the time and memory of the sources; and
// beside it what runs in threads and processes of its own, and the tables of a new database.
import { isAscii } from 'node:buffer';
import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '#database/database.ts';
import { type AllTables, readAllTables } from '#database/initial-schema.ts';
import { migrate } from '#database/migrate.ts';
import { systemClock } from '#runtime/clock.ts';
import { bundled, root } from './bundler.ts';

const outdir = join(root, 'dist');

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
const bundling = bundled({ in: join(root, 'src', 'main.ts'), out: 'hearth' }, outdir);

// Its failure is told once what is made beside it has been cleared away.
bundling.catch(() => undefined);
const tables = JSON.stringify(await tablesOfNew());
const { outputFiles } = await bundling;
await mkdir(outdir, { recursive: true });
// The bundler writes other letters as escapes, except in tagged templates.
const server = outputFiles.find(({ path }) => path === join(outdir, 'hearth.js'));
if (!isAscii(server!.contents)) {
  throw new Error(
    'A template has a letter beyond ASCII: the runtime would keep the server in two bytes a letter, 4 MB more.',
  );
}
// The tables first: of other migrations than the bundle's they are not used.
for (const { path, contents } of [{ path: join(outdir, 'tables.json'), contents: tables }, ...outputFiles]) {
  // Two starts at once may both make the bundle: each puts a whole one in place.
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, contents);
  // As old as its sources were read: what was edited meanwhile is newer.
  await utimes(draft, started, started);
  await rename(draft, path).finally(() => rm(draft, { force: true }));
}
