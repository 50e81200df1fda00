// `node bench/lists.ts DATA_DIR [postgres://...]`: every list with every filter on what `bench/seed.ts` has made: median of
// an answer and longest turn of the event loop, a commit before each. A third argument shows only what is slower, in ms.
import { Agent, request } from 'node:http';
import { families } from '../src/api/index.ts';
import type { Endpoint } from '../src/http/endpoint/endpoint.ts';
import { declaredParameters } from '../src/http/serving/handle.ts';
import { createRegistry, fullPath } from '../src/http/serving/registry.ts';
import { medianOf } from './load.ts';
import { startHearth } from './processes.ts';
import { SEED_TOKEN, USER_TOKEN } from './seed.ts';

const [dataDir = '', url = '', slower = '0'] = process.argv.slice(2);
const rounds = 5;
const hearth = await startHearth(dataDir, {
  HEARTH_LOG_LEVEL: 'info',
  ...(url === '' ? {} : { HEARTH_DATABASE_URL: url }),
});
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

const asJson = async (path: string) => JSON.parse((await call('GET', path, SEED_TOKEN)).text);
const [group] = await asJson('/api/v4/groups?search=group-1&order_by=similarity');
const [project] = await asJson(`/api/v4/groups/${group.id}/projects?per_page=1`);
const [user] = await asJson('/api/v4/users?username=seed-1');

/** What stands for the parameters of paths, by what they follow. */
const IDS: Readonly<Record<string, number>> = { groups: group.id, projects: project.id, users: user.id };

const SEARCHES = ['number', 'ject', 'ember', 'seed-12345', 'project-4711', 'group', '9', 'nowhere'];
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  search: SEARCHES,
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

let commits = 0;
let worst = 0;
const slowest: string[] = [];
const endpoints = createRegistry(families).endpoints.filter(
  ({ answer, method }) => method === 'GET' && answer.kind === 'page',
);
for (const endpoint of endpoints) {
  if (/\/repository\//.test(endpoint.path) || !fullPath(endpoint).includes(process.env.ONLY ?? '')) continue;
  for (const [who, token] of Object.entries({ administrator: SEED_TOKEN, user: USER_TOKEN, nobody: null })) {
    for (const query of queriesOf(endpoint)) {
      const times: number[] = [];
      let status = 0;
      await hearth.longestTurn();
      for (let round = 0; round < rounds; round++) {
        await call('POST', `/api/v4/features/bench_${commits++ % 2}?value=${commits % 3}`, SEED_TOKEN);
        const began = performance.now();
        ({ status } = await call('GET', `${pathOf(endpoint)}?${query}`, token));
        times.push(performance.now() - began);
        if (status >= 400) break;
      }
      const turn = await hearth.longestTurn();
      worst = Math.max(worst, turn);
      const line = `${medianOf(times).toFixed(1).padStart(8)} ms, turn ${turn.toFixed(0).padStart(4)} ms  ${status} ${who} ${pathOf(endpoint)}?${query}`;
      if (status < 400 && (medianOf(times) >= Number(slower) || turn >= Number(slower))) {
        slowest.push(line);
        process.stdout.write(`${line}\n`);
      }
    }
  }
}
process.stdout.write(`the longest turn of all: ${worst.toFixed(0)} ms; ${slowest.length} shown\n`);
process.stdout.write(`memory: ${hearth.memory().toFixed(0)} MiB\n`);
agent.destroy();
await hearth.stop();
