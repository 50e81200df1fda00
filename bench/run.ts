// `npm run bench`: all benchmarks, each compared with its baseline in the same run. `npm run bench -- branches file` runs
// the named ones only.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '../test/engines/postgres-server.ts';
import { addBulk, git, makeRepository } from './git.ts';
import { describe, inTurns, type Load, type Measured, measure, medianOf } from './load.ts';
import { type Running, startFloor, startHearth } from './processes.ts';
import { besideCommits, commitOf, commitOfFloor, measureReads } from './reads.ts';
import { SEED_TOKEN, seeded } from './seed.ts';

const TOKEN = SEED_TOKEN;
const env = { HEARTH_ROOT_TOKEN: TOKEN, HEARTH_ROOT_PASSWORD: 'bench-password-1' };
const headers = { 'PRIVATE-TOKEN': TOKEN };
const rounds = 5;
/** Milliseconds after which an idle server has released the memory of its load. */
const QUIET = 25_000;
/** Filters of a list of 100,000 items, each read after a commit that changes one item. */
const FILTERS = [
  'states=stopped',
  'states=stopping',
  'search=review',
  'search=harbor',
  'search=review/harbor-4711',
  'search=nowhere',
  'search=review&states=stopping',
  'search=harbor&states=stopped',
  'search=harbor&states=stopping',
  'name=review/harbor-74',
  'page=5000',
  'states=stopped&page=2500',
  'search=review&page=2500',
];
/** Lists of one project. */
const LONG_LISTS = ['issues', 'events', 'environments'] as const;
const asked = process.argv.slice(2);
const wanted = (name: string) => asked.length === 0 || asked.includes(name);

const place = mkdtempSync(join(tmpdir(), 'hearth-bench-'));
const dataDir = join(place, 'data');
execFileSync(process.execPath, ['scripts/bundle.ts'], { cwd: join(import.meta.dirname, '..'), stdio: 'inherit' });
try {
  await run();
} finally {
  rmSync(place, { recursive: true, force: true });
}

async function run(): Promise<void> {
  let hearth = await startHearth(dataDir, env);
  say('first start', `${hearth.readyAfter.toFixed(0)} ms`);
  const work = join(place, 'work');
  makeRepository(work, { commits: 2000, branches: 2150 });
  await makeProjects(hearth);
  pushTo(hearth, work, 'bench', '--all');
  await hearth.stop();
  if (wanted('start')) await benchStart();
  if (wanted('spread')) await benchSpread();
  if (LONG_LISTS.some(wanted)) await benchLong();
  hearth = await startHearth(dataDir, env);
  const idle = hearth.memory();
  const floor = await startFloor(dataDir);
  const api = `${hearth.address}/api/v4`;
  const file = `${api}/projects/1/repository/files/lib%2Fblamed.txt`;
  try {
    if (wanted('projects')) await benchJson('project list', floor, 'projects', `${api}/projects?per_page=20`);
    if (wanted('project')) await benchJson('one project', floor, 'project', `${api}/projects/1`);
    if (wanted('branches'))
      await benchJson('branches list (2,150)', floor, 'branches', `${api}/projects/1/repository/branches`);
    if (wanted('file')) await benchJson('file JSON', floor, 'file', `${file}?ref=main`);
    if (wanted('raw')) await benchJson('file raw', floor, 'raw', `${file}/raw?ref=main`);
    if (wanted('token')) await benchToken(hearth);
    if (wanted('blame')) await benchBlame(file, work);
    if (wanted('write')) await benchWrite(api);
    if (wanted('clone')) await benchClone(hearth, work);
    say('longest turn', `${(await hearth.longestTurn()).toFixed(0)} ms of all that was asked of it`);
    const loaded = hearth.memory();
    await pause(QUIET);
    say('memory', `idle ${inMiB(idle)}, after load ${inMiB(loaded)}, quiet again ${inMiB(hearth.memory())}`);
  } finally {
    await floor.stop();
    await hearth.stop();
  }
}

function say(name: string, text: string): void {
  process.stdout.write(`${name.padEnd(28)} ${text}\n`);
}

function inMiB(memory: number): string {
  return `${memory.toFixed(0)} MiB`;
}

async function makeProjects(hearth: Running): Promise<void> {
  for (const name of ['bench', 'writes', 'bulk', ...Array.from({ length: 40 }, (_, index) => `project-${index}`)]) {
    await makeProject(hearth, name, { initialize_with_readme: String(name.startsWith('project-')) });
  }
}

async function makeProject({ address }: Running, name: string, more: Record<string, string> = {}): Promise<Response> {
  const body = new URLSearchParams({ name, ...more });
  const response = await fetch(`${address}/api/v4/projects`, { method: 'POST', headers, body });
  if (response.status === 201) return response;
  throw new Error(`POST /projects answered ${response.status}: ${await response.text()}`);
}

function pushTo(hearth: Running, work: string, project: string, ...what: string[]): void {
  git(work, 'push', '-q', remote(hearth, project), ...what);
}

function remote(hearth: Running, project: string): string {
  return hearth.address.replace('http://', `http://root:${TOKEN}@`) + `/root/${project}.git`;
}

/** Ready from the second start on, several times. */
async function benchStart(): Promise<void> {
  const [times, lists, commits]: number[][] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    const server = await startHearth(dataDir, env);
    const api = `${server.address}/api/v4`;
    times!.push(server.readyAfter);
    lists!.push(await timed(`${api}/projects?per_page=20`));
    const { id } = (await (await makeProject(server, `fresh-${round}`)).json()) as { id: number };
    const action = { action: 'create', file_path: 'a.txt', content: 'text' };
    const body = JSON.stringify({ branch: 'main', commit_message: 'First', actions: [action] });
    commits!.push(await timed(`${api}/projects/${id}/repository/commits`, { method: 'POST', body }));
    await server.stop();
  }
  const says = (name: string, all: number[]) => say(name, `${medianOf(all).toFixed(0)} ms (median of ${rounds})`);
  says('later starts', times!);
  says('first project list', lists!);
  says('first commit', commits!);
}

/** Returns the milliseconds of one call, until its response is read. */
async function timed(url: string, options: RequestInit = {}): Promise<number> {
  const began = performance.now();
  const answer = await fetch(url, { ...options, headers: { ...headers, 'Content-Type': 'application/json' } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return performance.now() - began;
}

/** Reads that caches cannot answer, on 10,000 projects, on both engines. */
async function benchSpread(): Promise<void> {
  const postgres = await startPostgres(['shared_buffers=128MB', 'autovacuum=on']);
  const spread = join(place, 'spread');
  const floors: Running[] = [];
  try {
    for (const [name, url] of [['SQLite'], ['PostgreSQL', postgres.url]] as const) {
      await seeded(
        { dataDir: spread, url },
        { users: 1000, groups: 20, projects: 10_000, issues: 0, events: 0, jobs: 0, environments: 0, mergeRequests: 0 },
        () => {},
      );
      // The baseline reads the data of SQLite.
      const [floor = await startFloor(spread)] = floors.splice(0);
      floors.push(floor);
      const server = await startHearth(spread, url === undefined ? {} : { HEARTH_DATABASE_URL: url });
      await measureReads(name, server, floor, say).finally(server.stop);
    }
  } finally {
    for (const floor of floors) await floor.stop();
    await postgres.stop();
  }
}

/** The first pages of one project's long lists, from the cache, and during commits. */
async function benchLong(): Promise<void> {
  const long = join(place, 'long');
  const all = { issues: 100_000, events: 1_000_000, environments: 100_000 };
  const lists = LONG_LISTS.filter(wanted);
  const amounts = {
    users: 1000,
    groups: 20,
    projects: 100,
    issues: 0,
    events: 0,
    jobs: 0,
    environments: 0,
    mergeRequests: 0,
  };
  for (const list of lists) amounts[list] = all[list];
  await seeded({ dataDir: long }, amounts, () => {});
  const [server, floor] = [await startHearth(long, {}), await startFloor(long)];
  const api = `${server.address}/api/v4`;
  try {
    const found = await fetch(`${api}/projects?search=project-1&order_by=id&sort=asc`, { headers });
    const { id } = ((await found.json()) as { id: number; path: string }[]).find(({ path }) => path === 'project-1')!;
    for (const list of lists) {
      const name = `${list} of one project (${amounts[list].toLocaleString('en')})`;
      const url = `${api}/projects/${id}/${list}`;
      await benchJson(name, floor, list, url);
      await benchJson(`${name}, commits between`, floor, list, url, { requests: 300, beside: server });
    }
    if (wanted('environments')) await benchFilters(`${api}/projects/${id}/environments`);
  } finally {
    await floor.stop();
    await server.stop();
  }
}

async function benchFilters(list: string): Promise<void> {
  const [{ id }] = (await (await fetch(list, { headers })).json()) as [{ id: number }];
  let slowest = 0;
  for (const filter of FILTERS) {
    const times: number[] = [];
    for (let round = 0; round < 2 * rounds; round++) {
      const body = JSON.stringify({ external_url: `https://example.com/${round}` });
      await timed(`${list}/${id}`, { method: 'PUT', body });
      times.push(await timed(`${list}?${filter}`));
    }
    slowest = Math.max(slowest, medianOf(times));
    say(`environments?${filter}`, `${medianOf(times).toFixed(1)} ms`);
  }
  say('environments, slowest filter', `${slowest.toFixed(1)} ms`);
}

interface Repeated {
  readonly requests: number;
  /** During commits of the measured server; the baseline commits to its own database. */
  readonly beside?: Running;
}

async function benchJson(
  name: string,
  floor: Running,
  key: string,
  url: string,
  { requests, beside }: Repeated = { requests: 3000 },
): Promise<void> {
  const sample = await fetch(url, { headers });
  const text = await sample.text();
  const body = sample.headers.get('content-type') === 'application/json' ? text : JSON.stringify(text);
  await fetch(`${floor.address}/body/${key}`, { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body });
  const load = (address: string): Load => ({ url: address, headers, requests });
  await measure({ ...load(url), requests: requests / 3 });
  const between = (commit: ((count: number) => string) | undefined, work: () => Promise<Measured>) =>
    commit ? besideCommits(commit, work) : work();
  const measured = await inTurns(
    rounds,
    () => between(beside && commitOf(beside), () => measure(load(url))),
    () => between(beside && commitOfFloor(floor), () => measure(load(`${floor.address}/read/${key}`))),
  );
  say(name, describe(measured));
}

/** The cost of authentication: the same public read with each kind of token, and without a token as the baseline. */
async function benchToken({ address }: Running): Promise<void> {
  const url = `${address}/api/v4/projects/1/repository/branches/main`;
  const form = (fields: Record<string, string>) => ({ method: 'PUT', headers, body: new URLSearchParams(fields) });
  await fetch(`${address}/api/v4/projects/1`, form({ visibility: 'public' }));
  const grant = { grant_type: 'password', username: 'root', password: env.HEARTH_ROOT_PASSWORD };
  const answer = await fetch(`${address}/oauth/token`, { ...form(grant), method: 'POST' });
  const { access_token } = (await answer.json()) as { access_token: string };
  const kinds = { 'personal token': headers, 'OAuth token': { authorization: `Bearer ${access_token}` } };
  for (const [name, credentials] of Object.entries(kinds)) {
    const [known, anonymous]: Load[] = [credentials, {}].map((sent) => ({ url, headers: sent, requests: 3000 }));
    await measure(known as Load);
    const measured = await inTurns(
      rounds,
      () => measure(known as Load),
      () => measure(anonymous as Load),
    );
    say(name, `${describe(measured)} (the floor is anonymous)`);
  }
}

async function benchBlame(file: string, work: string): Promise<void> {
  const tips = git(work, 'rev-list', '-n', '12', 'main').toString().trim().split('\n');
  const firsts: number[] = [];
  const floors: number[] = [];
  for (const tip of tips) {
    const began = performance.now();
    await fetch(`${file}/blame?ref=${tip}`, { headers }).then((response) => response.arrayBuffer());
    firsts.push(performance.now() - began);
    const begun = performance.now();
    git(work, 'blame', '--porcelain', tip, '--', 'lib/blamed.txt');
    floors.push(performance.now() - begun);
  }
  const again = await measure({ url: `${file}/blame?ref=${tips[0]}`, headers, requests: 1000 });
  say('blame first', `${medianOf(firsts).toFixed(1)} ms, git blame ${medianOf(floors).toFixed(1)} ms`);
  say('blame repeated', `${again.rate.toFixed(0)}/s, median ${again.median.toFixed(2)} ms`);
}

/** One file per commit, sequentially. The baseline is a prepared INSERT with the same durability. */
async function benchWrite(api: string): Promise<void> {
  const body = (path: number) =>
    JSON.stringify({ branch: 'main', content: `text ${path}`, commit_message: `Write ${path}` });
  const write = (from: number, requests: number) =>
    Promise.all([]).then(async () => {
      const times: number[] = [];
      for (let index = from; index < from + requests; index++) {
        const began = performance.now();
        const url = `${api}/projects/writes/repository/files/dir%2Ffile-${index}.txt`.replace(
          '/projects/writes/',
          '/projects/2/',
        );
        const response = await fetch(url, {
          method: 'POST',
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: body(index),
        });
        if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
        times.push(performance.now() - began);
      }
      return times;
    });
  await write(0, 50);
  const times = await write(50, 300);
  const insert = insertFloor();
  say('file write', `median ${medianOf(times).toFixed(1)} ms; one durable INSERT ${insert.toFixed(2)} ms`);
}

function insertFloor(): number {
  const database = new DatabaseSync(join(place, 'floor.sqlite3'));
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; create table rows (id integer primary key, text text)',
  );
  const insert = database.prepare('insert into rows (text) values (?)');
  const times = Array.from({ length: 300 }, () => {
    const began = performance.now();
    insert.run('some text');
    return performance.now() - began;
  });
  database.close();
  return medianOf(times);
}

async function benchClone(hearth: Running, work: string): Promise<void> {
  addBulk(work, 50);
  pushTo(hearth, work, 'bulk', 'main');
  const ours: number[] = [];
  const floors: number[] = [];
  const before = hearth.memory();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, hearth.memory())), 50);
  for (let round = 0; round < rounds; round++) {
    ours.push(await timedClone(remote(hearth, 'bulk')));
    floors.push(await timedClone(`file://${work}`));
  }
  clearInterval(watch);
  const ratio = medianOf(ours) / medianOf(floors);
  say(
    'git clone',
    `${medianOf(ours).toFixed(0)} ms, file:// ${medianOf(floors).toFixed(0)} ms, ratio ${ratio.toFixed(2)}, memory +${(peak - before).toFixed(0)} MiB`,
  );
}

async function timedClone(from: string): Promise<number> {
  const { execFile } = await import('node:child_process');
  const to = join(place, 'clone.git');
  const began = performance.now();
  await new Promise<void>((resolve, reject) => {
    execFile('git', ['clone', '-q', '--bare', '--single-branch', '--branch', 'main', from, to], (error) =>
      error ? reject(error) : resolve(),
    );
  });
  const took = performance.now() - began;
  rmSync(to, { recursive: true, force: true });
  return took;
}
