// The data of `first-reads.ts` and `compare-answers.ts`: projects with issues, users with tokens, and a repository with many files.
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { createToken } from '#authentication/tokens/access-tokens.ts';
import { type Database, openDatabase, type Transaction } from '#database/database.ts';
import { systemClock } from '#runtime/clock.ts';
import { git, gitWithInput } from './git.ts';
import { type Running, startHearth } from './processes.ts';
import { SEED_TOKEN, seeded } from './seed.ts';

const ISSUES_PER_PROJECT = 20;
const FILES_PROJECT = 'files';

/** Where the data is, and how many URLs each kind of read has. */
export interface ReadsData {
  readonly dataDir: string;
  /** `postgres://...`; undefined for SQLite. */
  readonly url: string | undefined;
  readonly urlCount: number;
}

/** Returns the token of a user. */
export const userToken = (index: number) => `glpat-bench-user-${String(index).padStart(8, '0')}`;
const fileName = (index: number) => `dir-${index % 100}/file-${index}.txt`;

/**
 * One kind of read: the path of the URL with this index, the token of its caller, and the name of the corresponding read of
 * the baseline.
 */
export interface FirstRead {
  readonly path: (index: number) => string;
  readonly token?: (index: number) => string;
  readonly baseline?: string;
}

/** The reads by name. `ids`: the ids of projects with issues; `files` is the project with many files. */
export function defineReads(
  { ids, files }: { readonly ids: readonly number[]; readonly files: number },
  urlCount: number,
): Readonly<Record<string, FirstRead>> {
  const project = (index: number) => `/projects/${ids[index % ids.length]}`;
  const file = (index: number) => `/projects/${files}/repository/files/${encodeURIComponent(fileName(index))}`;
  return {
    version: { path: (index) => `/version?n=${index}` },
    project: { path: project },
    issue: { path: (index) => `${project(index)}/issues/${1 + (index % ISSUES_PER_PROJECT)}` },
    issues: { path: (index) => `${project(index)}/issues`, baseline: 'issues' },
    file: { path: (index) => `${file(index)}?ref=main` },
    // Other files than before, because the contents of those are in memory.
    raw: { path: (index) => `${file(urlCount + index)}/raw?ref=main` },
    user: { path: () => '/user', token: userToken },
  };
}

/** Fills an empty database: projects with issues, users with tokens, and a repository with a file for each URL. */
export async function fill({ dataDir, url, urlCount }: ReadsData): Promise<void> {
  const marker = join(dataDir, url === undefined ? 'first-reads.sqlite' : 'first-reads.postgres');
  if (existsSync(marker)) return;
  const amounts = { groups: 20, issues: 2_000, events: 0, jobs: 0, environments: 0, mergeRequests: 0 };
  await seeded({ dataDir, url }, { ...amounts, users: urlCount, projects: urlCount }, () => {});
  const database = await openDatabase({ dataDir, url, clock: systemClock });
  await database.transaction((tx) => insertIssues(tx));
  await insertTokens(database, urlCount);
  await database.transaction(async (tx) => {
    if (database.engine === 'sqlite') await sql`pragma analysis_limit = 400`.execute(tx);
    await sql`analyze`.execute(tx);
  });
  await database.close();
  const server = await startHearth(dataDir, url === undefined ? {} : { HEARTH_DATABASE_URL: url });
  await pushFiles(server, dataDir, urlCount).finally(server.stop);
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
async function insertTokens(database: Database, urlCount: number): Promise<void> {
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

async function pushFiles({ address }: Running, dataDir: string, urlCount: number): Promise<void> {
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

/**
 * Records that all tokens have been used now, because a first use in ten minutes is a write. Returns the ids of the projects with
 * issues, and the id of the one with many files.
 */
export async function prepareReads({ dataDir, url }: ReadsData): Promise<{ ids: number[]; files: number }> {
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
