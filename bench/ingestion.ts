// `node bench/ingestion.ts [postgres://...]`: alerts and error reports from fifty connections, each compared with a bare
// INSERT of the same body with the same durability; alerts also with 10,000 open ones in the database. Prints the resident
// memory after the load, too.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, inTurns, measure } from './load.ts';
import { type Asked, alertOf, another, envelopeOf, watchedProject } from './monitoring.ts';
import { type Running, startHearth, startIntakeFloor } from './processes.ts';
import { SEED_TOKEN } from './seed.ts';

const ROUNDS = 5;
const REQUESTS = 3000;
const CONNECTIONS = 50;
const OPEN = 10_000;
/** Milliseconds after which an idle server has released the memory of its load. */
const QUIET = 25_000;

const say = (name: string, text: string) => process.stdout.write(`${name.padEnd(28)} ${text}\n`);

async function compare(
  name: string,
  { hearth, floor }: { readonly hearth: Running; readonly floor: Running },
  { url, headers }: Asked,
  body: (index: number) => string,
): Promise<void> {
  const load = { method: 'POST', headers, body, requests: REQUESTS, connections: CONNECTIONS };
  const bare = () => measure({ ...load, url: `${floor.address}/insert` });
  await measure({ ...load, url, requests: 500 });
  await hearth.longestTurn();
  const before = [hearth.computed(), floor.computed()] as const;
  const measured = await inTurns(ROUNDS, () => measure({ ...load, url }), bare);
  const [ours, theirs] = [hearth.computed() - before[0], floor.computed() - before[1]].map((all) =>
    ((all / ROUNDS / REQUESTS) * 1000).toFixed(0),
  );
  const turn = (await hearth.longestTurn()).toFixed(0);
  say(name, `${describe(measured)}; computed ${ours} us, floor ${theirs} us; longest turn ${turn} ms`);
}

async function run(dataDir: string, url: string | undefined): Promise<void> {
  const env = { HEARTH_ROOT_TOKEN: SEED_TOKEN, HEARTH_ROOT_PASSWORD: 'bench-password-1' };
  const hearth = await startHearth(dataDir, { ...env, ...(url ? { HEARTH_DATABASE_URL: url } : {}) });
  const floor = await startIntakeFloor(dataDir, url);
  try {
    const both = { hearth, floor };
    const { alerts, reports } = await watchedProject(hearth);
    const idle = hearth.memory();
    await compare('alerts, all alike', both, alerts, () => alertOf('Disk almost full'));
    await compare('alerts, all different', both, alerts, () => alertOf(`Disk ${another()} almost full`));
    const open = { method: 'POST', headers: alerts.headers, url: alerts.url, requests: OPEN, connections: CONNECTIONS };
    await measure({ ...open, body: () => alertOf(`Disk ${another()} almost full`) });
    await compare(`the same, ${OPEN} more open`, both, alerts, () => alertOf(`Disk ${another()} almost full`));
    await compare('reports of one error', both, reports, envelopeOf);
    const loaded = hearth.memory();
    await pause(QUIET);
    const [before, after, later] = [idle, loaded, hearth.memory()].map((memory) => `${memory.toFixed(0)} MiB`);
    say('memory', `before ${before}, after load ${after}, quiet again ${later}`);
  } finally {
    await floor.stop();
    await hearth.stop();
  }
}

const place = mkdtempSync(join(tmpdir(), 'hearth-intake-'));
try {
  await run(join(place, 'data'), process.argv[2]);
} finally {
  rmSync(place, { recursive: true, force: true });
}
