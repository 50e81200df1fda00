// `npm run tables` writes src/database/tables.ts, the types of all tables, from the schema that the migrations create.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '#database/database.ts';
import { migrate } from '#database/migrate.ts';
import { systemClock } from '#runtime/clock.ts';
import { formatTableTypes } from './table-types.ts';

const file = join(import.meta.dirname, '../src/database/tables.ts');
const dataDir = await mkdtemp(join(tmpdir(), 'hearth-tables-'));
const database = await openDatabase({ dataDir, url: undefined, clock: systemClock });
try {
  await migrate(database);
  await writeFile(file, await formatTableTypes(database.reader, await readFile(file, 'utf8')));
  console.log('Wrote src/database/tables.ts');
} finally {
  await database.close();
  await rm(dataDir, { recursive: true });
}
