// `node bench/lists.ts DATA_DIR [postgres://...]`: every list with every filter on what `bench/seed.ts` has made: medians of
// an answer's time and of what the server, and PostgreSQL on this machine, compute for it (the same on a busy machine),
// longest turn of the event loop; a commit before each. A third argument shows only what is slower, in ms;
// ONLY='/users\\?.*search' asks what fits this expression. The last line tells how many answers are too slow (`SLOW`).
import { Agent, request } from 'node:http';
import pg from 'pg';
import { families } from '../src/api/index.ts';
import type { Endpoint } from '../src/http/endpoint/endpoint.ts';
import { declaredParameters } from '../src/http/serving/handle.ts';
import { createRegistry, fullPath } from '../src/http/serving/registry.ts';
import { medianOf } from './load.ts';
import { computedBy, startHearth } from './processes.ts';
import { SEED_TOKEN, USER_TOKEN } from './seed.ts';

const [dataDir = '', url = '', slower = '0'] = process.argv.slice(2);
const rounds = 5;
/** Milliseconds: what no answer may take at the median. */
const SLOW = 50;
const hearth = await startHearth(dataDir, {
  HEARTH_LOG_LEVEL: 'info',
  ...(url === '' ? {} : { HEARTH_DATABASE_URL: url }),
});
const postgres = url === '' ? null : new pg.Client({ connectionString: url });
await postgres?.connect();
const agent = new Agent({ keepAlive: true });

function call(method: string, path: string, token: string | null): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = token === null ? {} : { 'PRIVATE-TOKEN': token };
    const sent = request(`${hearth.address}${path}`, { agent, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Milliseconds that have been computed for the server so far. */
async function computed(): Promise<number> {
  const sessions = await postgres?.query("select pid from pg_stat_activity where application_name = 'hearth'");
  const pids = sessions?.rows.map(({ pid }) => Number(pid)) ?? [];
  return pids.reduce((sum, pid) => sum + computedBy(pid), hearth.computed());
}

const asJson = async (path: string) => JSON.parse((await call('GET', path, SEED_TOKEN)).text);
const [group] = await asJson('/api/v4/groups?search=group-1&order_by=similarity');
const [project] = await asJson(`/api/v4/groups/${group.id}/projects?per_page=1`);
const [user] = await asJson('/api/v4/users?username=seed-1');

/** What stands for the parameters of paths, by what they follow. */
const IDS: Readonly<Record<string, number>> = { groups: group.id, projects: project.id, users: user.id };

const SEARCHES = ['number', 'ject', 'ember', 'seed-12345', 'project-4711', 'group', '9', 'nowhere'];
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  search: SEARCHES,
  query: SEARCHES,
  username: ['seed-77'],
  topic: ['rare'],
  owner: ['root'],
  created_after: ['2022-08-01T00:00:00Z', '2020-10-01T00:00:00Z'],
  created_before: ['2022-08-01T00:00:00Z', '2020-10-01T00:00:00Z'],
  last_activity_after: ['2020-11-20T00:00:00Z', '2020-10-01T00:00:00Z'],
  last_activity_before: ['2020-11-20T00:00:00Z', '2020-10-01T00:00:00Z'],
  id_after: [99_000, 10],
  id_before: [99_000, 10],
  page: [2, 100],
  per_page: [100],
};

function valuesOf(
  name: string,
  schema: { type?: string; enum?: unknown[]; anyOf?: { const?: unknown }[] },
): readonly unknown[] {
  const known = VALUES[name];
  if (known) return known;
  if (schema.type === 'boolean') return [true, false];
  const consts = (schema.anyOf ?? []).map((one) => one.const).filter((value) => value !== undefined);
  if (consts.length > 0) return consts.slice(0, 9);
  if (schema.enum) return schema.enum.slice(0, 9);
  if (schema.type === 'integer') return [30];
  return [];
}

/** Each filter alone, and each beside a search. */
function queriesOf(endpoint: Endpoint): string[] {
  const parameters = declaredParameters(endpoint);
  const queries = [''];
  for (const [name, { type }] of Object.entries(parameters)) {
    if (endpoint.path.includes(`:${name}`)) continue;
    for (const value of valuesOf(name, type.schema as object)) {
      queries.push(`${name}=${encodeURIComponent(String(value))}`);
      if ('search' in parameters && name !== 'search')
        queries.push(`search=ember&${name}=${encodeURIComponent(String(value))}`);
    }
  }
  return queries;
}

const pathOf = (endpoint: Endpoint) =>
  fullPath(endpoint).replaceAll(
    /\/(\w+)\/:\w+(\([^)]*\))?/g,
    (_all, collection: string) => `/${collection}/${IDS[collection] ?? 1}`,
  );

const only = new RegExp(process.env.ONLY ?? '');
let commits = 0;
let worst = 0;
let calls = 0;
let slow = 0;
let dear = 0;
const endpoints = createRegistry(families).endpoints.filter(
  ({ answer, method }) => method === 'GET' && answer.kind === 'page',
);
for (const endpoint of endpoints) {
  if (/\/repository\//.test(endpoint.path)) continue;
  for (const [who, token] of Object.entries({ administrator: SEED_TOKEN, user: USER_TOKEN, nobody: null })) {
    for (const query of queriesOf(endpoint).filter((query) => only.test(`${pathOf(endpoint)}?${query}`))) {
      const times: number[] = [];
      const costs: number[] = [];
      let status = 0;
      await hearth.longestTurn();
      for (let round = 0; round < rounds; round++) {
        await call('POST', `/api/v4/features/bench_${commits++ % 2}?value=${commits % 3}`, SEED_TOKEN);
        const before = await computed();
        const began = performance.now();
        ({ status } = await call('GET', `${pathOf(endpoint)}?${query}`, token));
        times.push(performance.now() - began);
        costs.push((await computed()) - before);
        if (status >= 400) break;
      }
      const turn = await hearth.longestTurn();
      worst = Math.max(worst, turn);
      if (status >= 400) continue;
      const [median, cost] = [medianOf(times), medianOf(costs)];
      calls++;
      if (median >= SLOW) slow++;
      if (cost >= SLOW) dear++;
      if (median < Number(slower) && turn < Number(slower)) continue;
      const measured = `${median.toFixed(1).padStart(8)} ms, ${cost.toFixed(1).padStart(6)} computed, turn ${turn.toFixed(0).padStart(4)} ms`;
      process.stdout.write(`${measured}  ${status} ${who} ${pathOf(endpoint)}?${query}\n`);
    }
  }
}
const said = `${calls} calls, ${slow} over ${SLOW} ms at the median (${dear} by what they compute), longest turn ${worst.toFixed(0)} ms`;
process.stdout.write(`${said}, ${hearth.memory().toFixed(0)} MiB\n`);
agent.destroy();
await postgres?.end();
await hearth.stop();
