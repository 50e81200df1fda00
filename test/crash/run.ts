// `npm run test:crash`: fifty kills in a row on SQLite, or as many as the argument says.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crash } from './crash.ts';

const rounds = Number(process.argv[2] ?? 50);
const dataDir = mkdtempSync(join(tmpdir(), 'hearth-crash-data-'));
try {
  await crash({ rounds, dataDir, say: (text) => process.stdout.write(`${text}\n`) });
  process.stdout.write(`${rounds} kills, nothing lost\n`);
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
