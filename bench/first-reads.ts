// `node bench/first-reads.ts DATA_DIR [postgres://...] [--build=CHECKOUT] [--reads=project,user] [--urls=10000]`: reads that no
// cache has seen yet, each URL once, compared with the bare Fastify of `bench/baseline.ts` and, with `--build`, with another checkout
// of Hearth, in turns. The first run on an empty directory fills it. Prints the ratio of the rates to Fastify's, the CPU time of
// the main thread for each request in the median round, and in the lowest one: other work on the machine changes that least.
import { cpSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { defineReads, type FirstRead, fill, prepareReads } from './first-reads-data.ts';
import { type Measured, measure, medianOf } from './load.ts';
import { type Running, startFloor, startHearth } from './processes.ts';
import { SEED_TOKEN } from './seed.ts';

const ROUNDS = 40;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { build: { type: 'string' }, reads: { type: 'string' }, urls: { type: 'string', default: '10000' } },
});
const [dataDir = '', databaseUrl] = positionals;
const urlCount = Number(values.urls);

interface Subject {
  readonly name: string;
  readonly server: Running;
  readonly rates: number[];
  readonly cpuMicroseconds: number[];
}

/** Measures one round of a subject: its rate, and the CPU time of the main thread for each request. */
async function runRound({ server, rates, cpuMicroseconds }: Subject, load: () => Promise<Measured>, requests: number) {
  const before = server.computedByMainThread();
  const { rate } = await load();
  rates.push(rate);
  cpuMicroseconds.push(((server.computedByMainThread() - before) * 1000) / requests);
}

/** Measures a read on all subjects in turns, the baseline first, and prints the medians. */
async function measureRead(engine: string, name: string, read: FirstRead, subjects: readonly Subject[]): Promise<void> {
  const requests = Math.floor(urlCount / ROUNDS);
  for (let round = 0; round < ROUNDS; round++) {
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const isBaseline = subject.name === 'baseline';
      const url = (index: number) =>
        isBaseline
          ? `${subject.server.address}/read/${read.baseline ?? name}`
          : `${subject.server.address}/api/v4${read.path(round * requests + index)}`;
      const headers = (index: number) => ({
        'PRIVATE-TOKEN': isBaseline || !read.token ? SEED_TOKEN : read.token(round * requests + index),
      });
      await runRound(subject, () => measure({ url, headers, requests }), requests);
    }
  }
  const [baseline, ...servers] = subjects;
  const floorCpu = medianOf(baseline!.cpuMicroseconds);
  const lowestFloorCpu = Math.min(...baseline!.cpuMicroseconds);
  for (const subject of servers) {
    const ratio = medianOf(subject.rates.map((rate, round) => rate / baseline!.rates[round]!));
    const cpu = medianOf(subject.cpuMicroseconds);
    const lowest = Math.min(...subject.cpuMicroseconds);
    const text = `ratio ${ratio.toFixed(2)}, CPU ${cpu.toFixed(0)} us, baseline ${floorCpu.toFixed(0)} us (${(floorCpu / cpu).toFixed(2)}), lowest ${lowest.toFixed(0)} us and ${lowestFloorCpu.toFixed(0)} us`;
    process.stdout.write(`${`${engine} ${name}`.padEnd(20)} ${subject.name.padEnd(9)} ${text}\n`);
  }
}

async function measureEngine(engine: string, url: string | undefined, floor: Running): Promise<void> {
  const reads = defineReads(await prepareReads({ dataDir, url, urlCount }), urlCount);
  const settings = url === undefined ? {} : { HEARTH_DATABASE_URL: url };
  const servers = [{ name: 'this', server: await startHearth(dataDir, settings) }];
  if (values.build !== undefined) {
    // A server locks its data directory.
    const copy = `${dataDir}-copy`;
    rmSync(copy, { recursive: true, force: true });
    cpSync(dataDir, copy, { recursive: true });
    servers.push({ name: 'other', server: await startHearth(copy, settings, values.build) });
  }
  try {
    for (const [name, read] of Object.entries(reads)) {
      if (values.reads !== undefined && !values.reads.split(',').includes(name)) continue;
      const headers = { 'PRIVATE-TOKEN': SEED_TOKEN };
      const answer = await fetch(`${servers[0]!.server.address}/api/v4${read.path(urlCount - 1)}`, { headers });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${name} answered ${answer.status}: ${text}`);
      const body = answer.headers.get('content-type')?.startsWith('application/json') ? text : JSON.stringify(text);
      await fetch(`${floor.address}/body/${read.baseline ?? name}`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: body.startsWith('"') ? JSON.stringify({ text: body }) : body,
      });
      const subjects = [{ name: 'baseline', server: floor }, ...servers];
      await measureRead(
        engine,
        name,
        read,
        subjects.map((one) => ({ ...one, rates: [], cpuMicroseconds: [] })),
      );
    }
  } finally {
    for (const { server } of servers) await server.stop();
  }
}

await fill({ dataDir, url: undefined, urlCount });
if (databaseUrl !== undefined) await fill({ dataDir, url: databaseUrl, urlCount });
const floor = await startFloor(dataDir);
try {
  await measureEngine('SQLite', undefined, floor);
  if (databaseUrl !== undefined) await measureEngine('PostgreSQL', databaseUrl, floor);
} finally {
  await floor.stop();
}
