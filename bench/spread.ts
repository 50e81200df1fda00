// `node bench/spread.ts DATA_DIR [postgres://...]`: reads of one project, of 10,000 different ones, and of one while others
// commit, on what `bench/seed.ts` has made: SQLite beside its floor, PostgreSQL beside SQLite; the longest
// turn of the event loop and the memory behind them.
import { type Load, measure, medianOf } from './load.ts';
import { type Running, startFloor, startHearth } from './processes.ts';
import { SEED_TOKEN } from './seed.ts';

const [dataDir = '', url] = process.argv.slice(2);
const headers = { 'PRIVATE-TOKEN': SEED_TOKEN };
const rounds = 3;
const requests = 10_000;

const servers: [string, Running][] = [['SQLite', await startHearth(dataDir, {})]];
if (url !== undefined) servers.push(['PostgreSQL', await startHearth(dataDir, { HEARTH_DATABASE_URL: url })]);
const floor = await startFloor(dataDir);

async function rateOf(load: Omit<Load, 'headers'>): Promise<number> {
  const rates: number[] = [];
  for (let round = 0; round < rounds; round++) rates.push((await measure({ headers, ...load })).rate);
  return medianOf(rates);
}

async function firstProject({ address }: Running): Promise<number> {
  const answer = await fetch(`${address}/api/v4/projects?order_by=id&sort=asc&per_page=1`, { headers });
  return ((await answer.json()) as [{ id: number }])[0].id;
}

function loadsOf({ address }: Running, id: number): [string, Omit<Load, 'headers'>][] {
  const project = (index: number) => `${address}/api/v4/projects/${id + index}`;
  return [
    ['one URL', { url: project(0), requests }],
    ['10,000 URLs', { url: project, requests }],
    ['commits between', { url: project(0), requests: 2_000 }],
  ];
}

try {
  const body = await (
    await fetch(`${servers[0]![1].address}/api/v4/projects/${await firstProject(servers[0]![1])}`, { headers })
  ).text();
  await fetch(`${floor.address}/body/project`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body,
  });
  const floorRate = await rateOf({ url: `${floor.address}/read/project`, requests });
  process.stdout.write(`floor (SQLite, one URL): ${floorRate.toFixed(0)}/s\n`);
  for (const [name, server] of servers) {
    const id = await firstProject(server);
    for (const [what, load] of loadsOf(server, id)) {
      await server.longestTurn();
      const stop = what === 'commits between' ? commitAgainAndAgain(server) : undefined;
      const rate = await rateOf(load);
      await stop?.();
      const turn = await server.longestTurn();
      const text = `${rate.toFixed(0)}/s, ${(rate / floorRate).toFixed(2)} of the floor, longest turn ${turn.toFixed(0)} ms`;
      process.stdout.write(`${`${name}, ${what}`.padEnd(30)} ${text}\n`);
    }
    process.stdout.write(`${name}: ${server.memory().toFixed(0)} MiB resident\n`);
  }
} finally {
  await floor.stop();
  for (const [, server] of servers) await server.stop();
}

/** Commits one after another, until it is told to stop. */
function commitAgainAndAgain({ address }: Running): () => Promise<void> {
  let going = true;
  const done = (async () => {
    for (let count = 0; going; count++) {
      const answer = await fetch(`${address}/api/v4/features/bench_between?value=${count % 2 === 0}`, {
        method: 'POST',
        headers,
      });
      await answer.arrayBuffer();
    }
  })();
  return async () => {
    going = false;
    await done;
  };
}
