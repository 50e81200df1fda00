// `node bench/runners.ts DATA_DIR [postgres://...]`, after `bench/seed.ts`: the cost of runners that poll without getting a
// job, and of assigning a job, with a million finished jobs. Without arguments it uses a small temporary database.
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, inTurns, measure, medianOf } from './load.ts';
import { type Running, startFloor, startHearth } from './processes.ts';
import { SEED_TOKEN } from './seed.ts';
import { RUNNER_TOKENS } from './seed-jobs.ts';

const ROUNDS = 5;
const REQUESTS = 3000;
/** Seconds. */
const POLLED = 20;

const asSeed = { 'PRIVATE-TOKEN': SEED_TOKEN };

type Say = (name: string, text: string) => void;

/** `POST /jobs/request` compared with a bare read: 200 runners that poll once a second, and jobs that are assigned. */
export async function measureRunners(name: string, server: Running, floor: Running, say: Say): Promise<void> {
  const url = `${server.address}/api/v4/jobs/request`;
  const known = new Map<string, string>();
  for (const token of RUNNER_TOKENS) known.set(token, await ask(url, token));
  const asJson = { 'Content-Type': 'application/json' };
  await fetch(`${floor.address}/body/project`, { method: 'PUT', headers: asJson, body: await someProject(server) });
  const bodies = (last: ReadonlyMap<string, string>) =>
    RUNNER_TOKENS.map((token) => JSON.stringify(asking(token, last.get(token))));
  const nothing = (asked: readonly string[]) => () =>
    measure({
      url,
      method: 'POST',
      headers: asJson,
      // Rotates the runners, to stay below their rate limit per minute.
      body: (index) => asked[index % asked.length]!,
      requests: REQUESTS,
    });
  const bare = () => measure({ url: `${floor.address}/read/project`, headers: asSeed, requests: REQUESTS });
  await server.longestTurn();
  for (const [what, asked] of [
    ['nothing new', bodies(known)],
    ['nothing to do', bodies(new Map())],
  ] as const) {
    await nothing(asked)();
    const before = [server.computed(), floor.computed()] as const;
    const measured = await inTurns(ROUNDS, nothing(asked), bare);
    const each = [server.computed() - before[0], floor.computed() - before[1]].map(
      (all) => (all / ROUNDS / REQUESTS) * 1000,
    );
    const [ours = 0, theirs = 0] = each;
    say(`${name}: ${what}`, `${describe(measured)}; computed ${ours.toFixed(0)} us, floor ${theirs.toFixed(0)} us`);
  }
  say(`${name}: 200 runners`, `${(await polled(server, url, known)).toFixed(1)} % of a core`);
  say(`${name}: longest turn`, `${(await server.longestTurn()).toFixed(0)} ms`);
}

/** The JSON response of the baseline server. */
async function someProject({ address }: Running): Promise<string> {
  const read = async (path: string) => (await fetch(`${address}/api/v4${path}`, { headers: asSeed })).text();
  const [{ id }] = JSON.parse(await read('/projects?per_page=1')) as [{ id: number }];
  return read(`/projects/${id}`);
}

/** All runners poll once a second. Returns the CPU time of the server in per cent. */
async function polled(server: Running, url: string, known: ReadonlyMap<string, string>): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const shares: number[] = [];
  for (let second = 0; second < POLLED; second++) {
    const [began, before] = [performance.now(), server.computed()];
    const gap = 900 / RUNNER_TOKENS.length;
    await Promise.all(
      RUNNER_TOKENS.map(async (token, index) => {
        await pause(index * gap);
        await ask(url, token, known.get(token), agent);
      }),
    );
    await pause(Math.max(0, 1000 - (performance.now() - began)));
    shares.push(((server.computed() - before) / (performance.now() - began)) * 100);
  }
  agent.destroy();
  return medianOf(shares);
}

/** The request body of a real runner. */
function asking(token: string, last_update?: string) {
  const features = { trace_reset: true, cancelable: true, multi_build_steps: true, refspecs: true, masking: true };
  const info = {
    name: 'gitlab-runner',
    version: '18.5.0',
    revision: 'bda84871',
    platform: 'linux',
    architecture: 'amd64',
  };
  return { token, system_id: 's_0123456789ab', last_update, info: { ...info, executor: 'shell', features } };
}

/** Requests a job when there is none. Returns the queue version for the next request. */
function ask(url: string, token: string, last?: string, agent?: Agent): Promise<string> {
  const body = JSON.stringify(asking(token, last));
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, ...(agent ? { agent } : {}) }, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 204) resolve(String(response.headers['x-gitlab-last-update']));
        else reject(new Error(`POST ${url} answered ${response.statusCode}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

if (import.meta.main) {
  const [dataDir = '', url] = process.argv.slice(2);
  const settings = { ...(url ? { HEARTH_DATABASE_URL: url } : {}) };
  const [server, floor] = [await startHearth(dataDir, settings), await startFloor(dataDir)];
  await measureRunners(url ? 'PostgreSQL' : 'SQLite', server, floor, (name, text) =>
    process.stdout.write(`${name.padEnd(28)} ${text}\n`),
  );
  await floor.stop();
  await server.stop();
}
