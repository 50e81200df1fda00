// `node bench/ingestion-storm.ts [postgres://...]`: a minute of alerts and error reports from fifty connections. Prints the
// latency of a concurrent read of a project, and the resident memory a minute later.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { measure, medianOf } from './load.ts';
import { type Asked, alertOf, another, envelopeOf, watchedProject } from './monitoring.ts';
import { startHearth } from './processes.ts';
import { SEED_TOKEN } from './seed.ts';

const STORM = 60_000;
const QUIET = 60_000;
const CONNECTIONS = 25;
const AT_ONCE = 2000;

const say = (name: string, text: string) => process.stdout.write(`${name.padEnd(28)} ${text}\n`);

/** Half of the connections until then; how many were answered. */
async function stormOf({ url, headers }: Asked, body: (index: number) => string, until: number): Promise<number> {
  let answered = 0;
  while (performance.now() < until) {
    await measure({ method: 'POST', url, headers, body, requests: AT_ONCE, connections: CONNECTIONS });
    answered += AT_ONCE;
  }
  return answered;
}

const warmUp = ({ url, headers }: Asked, body: (index: number) => string) =>
  measure({ method: 'POST', url, headers, body, requests: AT_ONCE, connections: CONNECTIONS });

async function run(dataDir: string, database: string | undefined): Promise<void> {
  const env = { HEARTH_ROOT_TOKEN: SEED_TOKEN, HEARTH_ROOT_PASSWORD: 'bench-password-1' };
  const hearth = await startHearth(dataDir, { ...env, ...(database ? { HEARTH_DATABASE_URL: database } : {}) });
  try {
    const { alerts, reports, project } = await watchedProject(hearth);
    // Warm up: the code of a new server is not compiled yet.
    await warmUp(alerts, () => alertOf('Disk almost full'));
    await warmUp(reports, envelopeOf);
    await hearth.longestTurn();
    const bystander = new Worker(new URL('concurrent-reader.ts', import.meta.url), { workerData: project });
    const until = performance.now() + STORM;
    const [alerted, reported] = await Promise.all([
      stormOf(
        alerts,
        (index) => alertOf(index % 10 === 0 ? `Disk ${another()} almost full` : 'Disk almost full'),
        until,
      ),
      stormOf(reports, (index) => envelopeOf(index % 100), until),
    ]);
    const told = once(bystander, 'message') as Promise<[number[]]>;
    bystander.postMessage('end');
    const [waits] = await told;
    const sorted = waits.toSorted((a, b) => a - b);
    const [late, longest] = [0.99, 1].map((part) => sorted[Math.ceil(sorted.length * part) - 1]!.toFixed(0));
    say('storm', `${alerted} alerts, ${reported} reports; longest turn ${(await hearth.longestTurn()).toFixed(0)} ms`);
    say(
      'reads beside it',
      `${waits.length}: median ${medianOf(waits).toFixed(0)} ms, 99 % within ${late} ms, longest ${longest} ms`,
    );
    const loaded = hearth.memory();
    await pause(QUIET);
    say('memory', `after the storm ${loaded.toFixed(0)} MiB, a minute later ${hearth.memory().toFixed(0)} MiB`);
  } finally {
    await hearth.stop();
  }
}

const place = mkdtempSync(join(tmpdir(), 'hearth-storm-'));
try {
  await run(join(place, 'data'), process.argv[2]);
} finally {
  rmSync(place, { recursive: true, force: true });
}
