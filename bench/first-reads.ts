// `node bench/first-reads.ts DATA_DIR [postgres://...] [--build=CHECKOUT] [--reads=project,user] [--urls=10000]`: reads that no
// cache has seen yet, each URL once, compared with the bare Fastify of `bench/baseline.ts` and, with `--build`, with another checkout
// of Hearth, in turns. The first run on an empty directory fills it. Prints the ratio of the rates to Fastify's, and the CPU time
// of the main thread for each request, which other work on the machine changes least.
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { createToken } from '#authentication/tokens/access-tokens.ts';
import { type Database, openDatabase, type Transaction } from '#database/database.ts';
import { systemClock } from '#runtime/clock.ts';
import { git, gitWithInput } from './git.ts';
import { type Measured, measure, medianOf } from './load.ts';
import { type Running, startFloor, startHearth } from './processes.ts';
import { SEED_TOKEN, seeded } from './seed.ts';

const ROUNDS = 10;
const ISSUES_PER_PROJECT = 20;
const FILES_PROJECT = 'files';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { build: { type: 'string' }, reads: { type: 'string' }, urls: { type: 'string', default: '10000' } },
});
const [dataDir = '', databaseUrl] = positionals;
const urlCount = Number(values.urls);

const userToken = (index: number) => `glpat-bench-user-${String(index).padStart(8, '0')}`;
const fileName = (index: number) => `dir-${index % 100}/file-${index}.txt`;

/** One kind of read: the path of the URL with this index, the token of its caller, and what the baseline reads in its place. */
interface FirstRead {
  readonly path: (index: number) => string;
  readonly token?: (index: number) => string;
  readonly baseline?: string;
}

/** The reads by name. `ids` are those of projects that have issues; `files` is the project with many files. */
function defineReads(ids: readonly number[], files: number): Readonly<Record<string, FirstRead>> {
  const project = (index: number) => `/projects/${ids[index % ids.length]}`;
  const file = (index: number) => `/projects/${files}/repository/files/${encodeURIComponent(fileName(index))}`;
  return {
    version: { path: (index) => `/version?n=${index}` },
    project: { path: project },
    issue: { path: (index) => `${project(index)}/issues/${1 + (index % ISSUES_PER_PROJECT)}` },
    issues: { path: (index) => `${project(index)}/issues`, baseline: 'issues' },
    file: { path: (index) => `${file(index)}?ref=main` },
    // Other files than those before: their contents would be in memory.
    raw: { path: (index) => `${file(urlCount + index)}/raw?ref=main` },
    user: { path: () => '/user', token: userToken },
  };
}

/** Fills an empty database: projects with issues, users with tokens, and a repository with a file for each URL. */
async function fill(url: string | undefined): Promise<void> {
  const marker = join(dataDir, url === undefined ? 'first-reads.sqlite' : 'first-reads.postgres');
  if (existsSync(marker)) return;
  const amounts = { groups: 20, issues: 2_000, events: 0, jobs: 0, environments: 0 };
  await seeded({ dataDir, url }, { ...amounts, users: urlCount, projects: urlCount }, () => {});
  const database = await openDatabase({ dataDir, url, clock: systemClock });
  await database.transaction((tx) => insertIssues(tx));
  await insertTokens(database);
  await database.transaction(async (tx) => {
    if (database.engine === 'sqlite') await sql`pragma analysis_limit = 400`.execute(tx);
    await sql`analyze`.execute(tx);
  });
  await database.close();
  const server = await startHearth(dataDir, url === undefined ? {} : { HEARTH_DATABASE_URL: url });
  await pushFiles(server).finally(server.stop);
  cpSync('package.json', marker);
}

/** Inserts the issues of all projects but the one that has many, each with two labels and every second with an assignee. */
async function insertIssues(tx: Transaction): Promise<void> {
  const projects = sql`projects.path like 'project-%' and projects.path <> 'project-1'`;
  const now = sql`'2024-01-01T00:00:00.000Z'`;
  await sql`insert into labels (project_id, title, title_key, color, created_at, updated_at)
    select id, label, label, '#6699cc', ${now}, ${now} from projects,
      (select 'bug' as label union all select 'feature') as titles where ${projects}`.execute(tx);
  await sql`insert into issues (project_id, iid, title, title_key, description, description_key, author_id, state,
      confidential, issue_type, relative_position, created_at, updated_at)
    select projects.id, i.id, 'Issue ' || i.id, 'issue ' || i.id, 'About', 'about',
      (select min(id) from users where username_key like 'seed-%') + i.id, 'opened', i.id < 0, 'issue', i.id * 1024, ${now}, ${now}
    from projects, (select iid as id from issues where iid <= ${sql.lit(ISSUES_PER_PROJECT)}) as i where ${projects}`.execute(
    tx,
  );
  await sql`insert into issue_labels (issue_id, label_id) select issues.id, labels.id
    from issues join projects on projects.id = issues.project_id join labels on labels.project_id = issues.project_id
    where ${projects}`.execute(tx);
  await sql`insert into issue_assignees (issue_id, user_id) select issues.id, author_id
    from issues join projects on projects.id = issues.project_id where ${projects} and iid % 2 = 0`.execute(tx);
}

/** Gives each user a token. */
async function insertTokens(database: Database): Promise<void> {
  const users = await database.reader
    .selectFrom('users')
    .select('id')
    .where('username_key', 'like', 'seed-%')
    .orderBy('id')
    .limit(urlCount)
    .execute();
  await database.transaction(async (tx) => {
    await sql`update users set state = 'active'`.execute(tx);
    for (const [index, { id }] of users.entries()) {
      const settings = { name: 'bench', scopes: ['api'], expiresAt: null, prefix: '' };
      await createToken(tx, { userId: id, secret: userToken(index), ...settings });
    }
  });
}

async function pushFiles({ address }: Running): Promise<void> {
  const work = `${dataDir}-work`;
  rmSync(work, { recursive: true, force: true });
  git('.', 'init', '-q', '-b', 'main', work);
  const files = Array.from({ length: 2 * urlCount }, (_, index) => {
    const text = `content of ${index}\n`.repeat(20);
    return `M 100644 inline ${fileName(index)}\ndata ${text.length}\n${text}\n`;
  });
  const commit = 'commit refs/heads/main\ncommitter Bench <bench@hearth.test> 1700000000 +0000\ndata 5\nFiles\n';
  gitWithInput(work, `${commit}${files.join('')}`, 'fast-import', '--quiet');
  const body = new URLSearchParams({ name: FILES_PROJECT });
  const headers = { 'PRIVATE-TOKEN': SEED_TOKEN };
  const created = await fetch(`${address}/api/v4/projects`, { method: 'POST', headers, body });
  if (created.status !== 201) throw new Error(`POST /projects answered ${created.status}: ${await created.text()}`);
  const remote = address.replace('http://', `http://root:${SEED_TOKEN}@`);
  git(work, 'push', '-q', `${remote}/root/${FILES_PROJECT}.git`, 'main');
  rmSync(work, { recursive: true, force: true });
}

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
  for (const subject of servers) {
    const ratio = medianOf(subject.rates.map((rate, round) => rate / baseline!.rates[round]!));
    const cpu = medianOf(subject.cpuMicroseconds);
    const text = `ratio ${ratio.toFixed(2)}, CPU ${cpu.toFixed(0)} us, baseline ${floorCpu.toFixed(0)} us (${(floorCpu / cpu).toFixed(2)})`;
    process.stdout.write(`${`${engine} ${name}`.padEnd(20)} ${subject.name.padEnd(9)} ${text}\n`);
  }
}

/**
 * Records that all tokens have been used now, because a first use in ten minutes is a write. Returns the ids of the projects with
 * issues, and the id of the one with many files.
 */
async function prepareReads(url: string | undefined): Promise<{ ids: number[]; files: number }> {
  const database = await openDatabase({ dataDir, url, clock: systemClock });
  try {
    await database.transaction(async (tx) => {
      await sql`update access_tokens set last_used_at = ${tx.now}, last_used_ips = '["127.0.0.1"]'`.execute(tx);
      await sql`update users set last_activity_on = ${tx.today}`.execute(tx);
    });
    const rows = await database.reader
      .selectFrom('projects')
      .select(['id', 'path'])
      .where((eb) => eb.or([eb('path', 'like', 'project-%'), eb('path', '=', FILES_PROJECT)]))
      .orderBy('id')
      .execute();
    const ids = rows.filter(({ path }) => path !== 'project-1' && path !== FILES_PROJECT).map(({ id }) => id);
    return { ids, files: rows.find(({ path }) => path === FILES_PROJECT)!.id };
  } finally {
    await database.close();
  }
}

async function measureEngine(engine: string, url: string | undefined, floor: Running): Promise<void> {
  const { ids, files } = await prepareReads(url);
  const reads = defineReads(ids, files);
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

await fill(undefined);
if (databaseUrl !== undefined) await fill(databaseUrl);
const floor = await startFloor(dataDir);
try {
  await measureEngine('SQLite', undefined, floor);
  if (databaseUrl !== undefined) await measureEngine('PostgreSQL', databaseUrl, floor);
} finally {
  await floor.stop();
}
