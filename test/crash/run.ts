// `npm run test:crash`: fifty kills in a row on SQLite, or as many as the argument says; with `pair` behind it the kills
// are of one of two servers on a PostgreSQL that npm brings.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../engines/postgres-server.ts';
import { crash } from './crash.ts';

const rounds = Number(process.argv[2] ?? 50);
const dataDir = mkdtempSync(join(tmpdir(), 'hearth-crash-data-'));
const postgres = process.argv[3] === 'pair' ? await startPostgres() : undefined;
try {
  await crash({ rounds, dataDir, databaseUrl: postgres?.url, say: (text) => process.stdout.write(`${text}\n`) });
  process.stdout.write(`${rounds} kills, nothing lost\n`);
} finally {
  await postgres?.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
