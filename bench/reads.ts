import { describe, inTurns, type Load, measure } from './load.ts';
import type { Running } from './processes.ts';
import { SEED_TOKEN } from './seed.ts';

/** Reads of the projects of `seed.ts` that caches cannot answer, each compared with the baseline. */

const headers = { 'PRIVATE-TOKEN': SEED_TOKEN, 'Content-Type': 'application/json' };

/** The number of different projects, and of rounds. */
const PROJECTS = 10_000;
const ROUNDS = 10;

type Say = (name: string, text: string) => void;

const projectsOf = (api: string, from: number) => (index: number) => `${api}/projects/${from + index}`;

async function firstProject(api: string): Promise<number> {
  const answer = await fetch(`${api}/projects?order_by=id&sort=asc&per_page=1`, { headers });
  return ((await answer.json()) as [{ id: number }])[0].id;
}

/**
 * Reads of one project, of many different ones, and of one during commits: rate, ratio to the baseline, longest event loop
 * turn; memory at the end.
 */
export async function measureReads(name: string, server: Running, floor: Running, say: Say): Promise<void> {
  const api = `${server.address}/api/v4`;
  const project = projectsOf(api, await firstProject(api));
  const body = await (await fetch(project(0), { headers })).text();
  await fetch(`${floor.address}/body/spread`, { method: 'PUT', headers, body });
  const requests = PROJECTS / ROUNDS;
  const onFloor = () => measure({ url: `${floor.address}/read/spread`, headers, requests });
  const [commit, onItsOwn] = [commitOf(server), commitOfFloor(floor)];
  let next = 0;
  const loads: Record<string, Load['url']> = {
    'one URL': project(0),
    '10,000 URLs': () => project(next++),
    'commits between': project(0),
  };
  for (const [what, url] of Object.entries(loads)) {
    await server.longestTurn();
    const ours = () => measure({ url, headers, requests });
    const measured =
      what === 'commits between'
        ? await inTurns(
            ROUNDS,
            () => besideCommits(commit, ours),
            () => besideCommits(onItsOwn, onFloor),
          )
        : await inTurns(ROUNDS, ours, onFloor);
    const turn = (await server.longestTurn()).toFixed(0);
    say(`${name}, ${what}`, `${describe(measured)}, longest turn ${turn} ms`);
  }
  say(`${name}, memory`, `${server.memory().toFixed(0)} MiB after these reads`);
}

/** Reads this many different projects once each, for at most this many seconds. Returns the number of reads. */
export async function readEach(server: Running, count: number, seconds: number): Promise<number> {
  const api = `${server.address}/api/v4`;
  const first = await firstProject(api);
  const ends = performance.now() + seconds * 1000;
  let read = 0;
  for (; read < count && performance.now() < ends; read += 1000) {
    await measure({ url: projectsOf(api, first + read), headers, requests: 1000, connections: 8 });
  }
  return read;
}

/** Makes the server, or the baseline, commit something that does not appear in lists. */
export const commitOf = (server: Running) => (count: number) =>
  `${server.address}/api/v4/features/bench_between?value=${count % 2 === 0}`;
export const commitOfFloor = (floor: Running) => () => `${floor.address}/commit`;

/** Runs the measurement during continuous commits of the measured server, which cost CPU time on both servers. */
export async function besideCommits<Result>(
  url: (count: number) => string,
  work: () => Promise<Result>,
): Promise<Result> {
  let going = true;
  const committing = (async () => {
    for (let count = 0; going; count++) {
      const answer = await fetch(url(count), { method: 'POST', headers: { 'PRIVATE-TOKEN': SEED_TOKEN } });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`${url(count)} answered ${answer.status}`);
    }
  })();
  try {
    return await work();
  } finally {
    going = false;
    await committing;
  }
}
