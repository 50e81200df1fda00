// `node bench/lists.ts DATA_DIR [postgres://...]`: every list with every filter on the data of `bench/seed.ts`, each after
// a commit of another process. Prints the median response time, the median CPU time of the server and of PostgreSQL (which
// other load does not change), and the longest turn of the event loop. A third argument, in ms, prints only slower lists;
// ONLY='/users\\?.*search' selects URLs. The last line counts responses slower than `SLOW`.
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { resourceModules } from '#api/index.ts';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { getDeclaredParameters } from '#http/server/pipeline/handle.ts';
import { getFullPath } from '#http/server/routing/paths.ts';
import { createRegistry } from '#http/server/routing/registry.ts';
import { medianOf } from './load.ts';
import { computedBy, startHearth } from './processes.ts';
import { SEED_TOKEN, USER_TOKEN } from './seed.ts';

const [dataDir = '', url = '', slower = '0'] = process.argv.slice(2);
const rounds = 5;
/** Milliseconds: the limit for the median of a response. */
const SLOW = 50;
const hearth = await startHearth(dataDir, {
  HEARTH_LOG_LEVEL: 'info',
  ...(url === '' ? {} : { HEARTH_DATABASE_URL: url }),
});
const postgres = url === '' ? null : new pg.Client({ connectionString: url });
await postgres?.connect();
// A commit of this server invalidates only cached reads of the written tables; a commit of another process invalidates all.
const other = url === '' ? new DatabaseSync(join(dataDir, 'hearth.sqlite3'), { timeout: 10_000 }) : null;
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

async function commitElsewhere(): Promise<void> {
  commits++;
  other?.exec(`pragma user_version = ${commits}`);
  await postgres?.query('select pg_current_xact_id()');
}

/** CPU time of the server so far, in milliseconds. */
async function computed(): Promise<number> {
  // Worker processes for one statement end before they can be measured.
  const sessions = await postgres?.query(
    "select pid from pg_stat_activity where application_name = 'hearth' and backend_type = 'client backend'",
  );
  const pids = sessions?.rows.map(({ pid }) => Number(pid)) ?? [];
  return pids.reduce((sum, pid) => sum + computedBy(pid), hearth.computed());
}

const asJson = async (path: string) => JSON.parse((await call('GET', path, SEED_TOKEN)).text);
const [group] = await asJson('/api/v4/groups?search=group-1&order_by=similarity');
const [project] = await asJson(`/api/v4/groups/${group.id}/projects?per_page=1`);
const [user] = await asJson('/api/v4/users?username=seed-1');
const large = await asJson('/api/v4/projects/group-2%2Fproject-1');

/** Values of path parameters by the preceding segment: a project of the largest group, and the project with long lists. */
const IDS: Readonly<Record<string, readonly number[]>> = {
  groups: [group.id],
  projects: [project.id, large.id],
  users: [user.id],
};

const MOMENTS = ['2022-08-01T00:00:00Z', '2020-10-01T00:00:00Z'];
const NAMES = ['seed-2', 'seed-77', 'nobody-at-all'];
const LABELS = ['common', 'rare', 'label-3,common', 'common,odd', 'common,half', 'nowhere', 'None', 'Any'];
const MILESTONES = ['v1', 'None', 'Any', 'Upcoming', 'Started'];
const IDS_OR_WORDS = ['None', 'Any', '3'];
const SEARCHES = ['number', 'ject', 'ember', 'seed-12345', 'project-4711', 'group', '9', 'nowhere'];
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  search: SEARCHES,
  query: SEARCHES,
  username: ['seed-77'],
  topic: ['rare'],
  owner: ['root'],
  created_after: MOMENTS,
  created_before: MOMENTS,
  updated_after: MOMENTS,
  updated_before: MOMENTS,
  finished_after: MOMENTS,
  finished_before: MOMENTS,
  before: ['2026-06-01', '2022-08-01'],
  after: ['2026-06-01', '2022-08-01'],
  last_activity_after: ['2020-11-20T00:00:00Z', '2020-10-01T00:00:00Z'],
  last_activity_before: ['2020-11-20T00:00:00Z', '2020-10-01T00:00:00Z'],
  id_after: [99_000, 10],
  id_before: [99_000, 10],
  page: [2, 100],
  per_page: [100],
  pagination: ['keyset'],
  sort: ['asc', 'desc'],
  in: ['title', 'description'],
  iids: [77],
  labels: LABELS,
  milestone: MILESTONES,
  author_username: NAMES,
  assignee_username: NAMES,
  reviewer_username: NAMES,
  assignee_id: IDS_OR_WORDS,
  reviewer_id: IDS_OR_WORDS,
  weight: IDS_OR_WORDS,
  iteration_id: IDS_OR_WORDS,
  epic_id: IDS_OR_WORDS,
  iteration_title: ['nowhere'],
  my_reaction_emoji: ['thumbsup', 'None', 'Any'],
  source_branch: ['main'],
  target_branch: ['main', 'release'],
  scope: ['all', 'failed'],
  ref: ['main', 'nowhere'],
  name: ['review/harbor-74', 'nowhere'],
  environment: ['nowhere', 'production', 'staging'],
  deployed_after: MOMENTS,
  deployed_before: MOMENTS,
  approved_by_ids: IDS_OR_WORDS,
  approved_by_usernames: NAMES,
  merge_user_id: [3],
  merge_user_username: ['seed-7'],
  tag_list: ['nowhere'],
  user_ids: [77],
  skip_users: [77],
};
/** Negated filters. */
const TURNED: Readonly<Record<string, readonly unknown[]>> = {
  labels: LABELS,
  milestone: MILESTONES,
  author_username: NAMES,
  assignee_id: ['3'],
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

const asked = (name: string, value: unknown) => `${name}=${encodeURIComponent(String(value))}`;
const turned = () =>
  Object.entries(TURNED).flatMap(([name, values]) => values.map((value) => asked(`not[${name}]`, value)));

/** Returns a query for each filter alone, and for each filter with a search. */
function queriesOf(endpoint: Endpoint): string[] {
  const parameters = getDeclaredParameters(endpoint);
  const queries = [''];
  for (const [name, { type }] of Object.entries(parameters)) {
    if (endpoint.path.includes(`:${name}`)) continue;
    const said = name === 'not' ? turned() : valuesOf(name, type.schema as object).map((value) => asked(name, value));
    for (const query of said) {
      queries.push(query);
      if ('search' in parameters && name !== 'search') queries.push(`search=ember&${query}`);
    }
  }
  return queries;
}

const pathsOf = (endpoint: Endpoint) => {
  const path = (at: number) =>
    getFullPath(endpoint).replaceAll(
      /\/(\w+)\/:\w+(\([^)]*\))?/g,
      (_all, collection: string) => `/${collection}/${IDS[collection]?.at(at) ?? 1}`,
    );
  return [...new Set([path(0), path(-1)])];
};

async function measureList(who: string, token: string | null, url: string): Promise<void> {
  const times: number[] = [];
  const costs: number[] = [];
  let status = 0;
  await hearth.longestTurn();
  for (let round = 0; round < rounds; round++) {
    await commitElsewhere();
    const before = await computed();
    const began = performance.now();
    ({ status } = await call('GET', url, token));
    times.push(performance.now() - began);
    costs.push((await computed()) - before);
    if (status >= 400) return;
  }
  const turn = await hearth.longestTurn();
  worst = Math.max(worst, turn);
  const [median, cost] = [medianOf(times), medianOf(costs)];
  calls++;
  if (median >= SLOW) slow++;
  if (cost >= SLOW) dear++;
  if (median < Number(slower) && turn < Number(slower)) return;
  const measured = `${median.toFixed(1).padStart(8)} ms, ${cost.toFixed(1).padStart(6)} computed, turn ${turn.toFixed(0).padStart(4)} ms`;
  process.stdout.write(`${measured}  ${status} ${who} ${url}\n`);
}

const only = new RegExp(process.env.ONLY ?? '');
let commits = 0;
let worst = 0;
let calls = 0;
let slow = 0;
let dear = 0;
const endpoints = createRegistry(resourceModules).endpoints.filter(
  ({ response: answer, method }) => method === 'GET' && answer.kind === 'page',
);
for (const endpoint of endpoints) {
  if (/\/repository\//.test(endpoint.path)) continue;
  const urls = pathsOf(endpoint).flatMap((path) => queriesOf(endpoint).map((query) => `${path}?${query}`));
  for (const [who, token] of Object.entries({ administrator: SEED_TOKEN, user: USER_TOKEN, nobody: null })) {
    for (const url of urls.filter((url) => only.test(url))) await measureList(who, token, url);
  }
}
const said = `${calls} calls, ${slow} over ${SLOW} ms at the median (${dear} by what they compute), longest turn ${worst.toFixed(0)} ms`;
process.stdout.write(`${said}, ${hearth.memory().toFixed(0)} MiB\n`);
agent.destroy();
await postgres?.end();
other?.close();
await hearth.stop();
