// Builds dist/hearth.js: the whole server in one module, which starts in a third of the time and memory of the sources. Also
// builds the programs that run in threads and processes, and the schema of a new database.
import { isAscii } from 'node:buffer';
import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '#database/database.ts';
import { dumpInitialSchema, type InitialSchema } from '#database/initial-schema.ts';
import { migrate } from '#database/migrate.ts';
import { systemClock } from '#runtime/clock.ts';
import { bundleProgram, root } from './bundler.ts';

const outdir = join(root, 'dist');

/** Migrates a temporary database and returns its schema. */
async function createInitialSchema(): Promise<InitialSchema> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hearth-bundle-'));
  const database = await openDatabase({ dataDir, clock: systemClock });
  try {
    return await dumpInitialSchema(database.reader, await migrate(database));
  } finally {
    await database.close();
    await rm(dataDir, { recursive: true });
  }
}

const startedAt = new Date();
// The bundler runs in its own process while the schema is created here.
const bundling = bundleProgram({ in: join(root, 'src', 'main.ts'), out: 'hearth' }, outdir);

// A failure is reported below, after the temporary database is deleted.
bundling.catch(() => undefined);
const tables = JSON.stringify(await createInitialSchema());
const { outputFiles } = await bundling;
await mkdir(outdir, { recursive: true });
// The bundler escapes other characters, except in tagged templates.
const server = outputFiles.find(({ path }) => path === join(outdir, 'hearth.js'));
if (!isAscii(server!.contents)) {
  throw new Error(
    'A tagged template contains a character beyond ASCII: the runtime would store the bundle with two bytes per character, 4 MB more. Use an escape.',
  );
}
// The schema is written first: a server with other migrations ignores it.
for (const { path, contents } of [{ path: join(outdir, 'tables.json'), contents: tables }, ...outputFiles]) {
  // Two concurrent starts may both build the bundle: each renames a complete file into place.
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, contents);
  // The file is dated before the sources were read, so that sources edited meanwhile are newer.
  await utimes(draft, startedAt, startedAt);
  await rename(draft, path).finally(() => rm(draft, { force: true }));
}
