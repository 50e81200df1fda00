// `node bench/read-spread.ts DATA_DIR [postgres://...]`: reads of one project, of 10,000 different ones, and of one during
// commits, on the data of `bench/seed.ts`, each compared with the baseline, on SQLite and PostgreSQL. `npm run bench --
// spread` does the same with less data.
import { startFloor, startHearth } from './processes.ts';
import { measureReads } from './reads.ts';

const [dataDir = '', url] = process.argv.slice(2);
const say = (name: string, text: string) => void process.stdout.write(`${name.padEnd(30)} ${text}\n`);
const floor = await startFloor(dataDir);
try {
  const engines: Record<string, Record<string, string>> = { SQLite: {} };
  if (url !== undefined) engines.PostgreSQL = { HEARTH_DATABASE_URL: url };
  for (const [name, env] of Object.entries(engines)) {
    const server = await startHearth(dataDir, env);
    await measureReads(name, server, floor, say).finally(server.stop);
  }
} finally {
  await floor.stop();
}
