// `node bench/seed.ts DATA_DIR [postgres://...]`: fills a new database with 1,000,000 users, 500 groups, 100,000
// projects and a project with 100,000 issues, 1,000,000 events, 1,000,000 jobs and 100,000 environments, and 1,000,000 merge requests by SQL in bulk, in some minutes. The administrator's token is `SEED_TOKEN`; the user `seed-1` has `USER_TOKEN`.
import { sql } from 'kysely';
import { createToken } from '#authentication/tokens/access-tokens.ts';
import { bootstrapUsers } from '#authentication/users/bootstrap.ts';
import { loadConfig } from '#config.ts';
import { type Database, openDatabase, type Transaction } from '#database/database.ts';
import { migrate } from '#database/migrate.ts';
import { createPersonalNamespace } from '#domain/namespaces/namespaces.ts';
import { systemClock } from '#runtime/clock.ts';
import { environments } from './seed-environments.ts';
import { events } from './seed-events.ts';
import { issues } from './seed-issues.ts';
import { jobs } from './seed-jobs.ts';
import { mergeRequests } from './seed-merge-requests.ts';

export const SEED_TOKEN = 'glpat-bench-token-0000000001';
export const USER_TOKEN = 'glpat-bench-token-0000000002';

export interface Amounts {
  readonly users: number;
  readonly groups: number;
  readonly projects: number;
  /** Issues of one project. */
  readonly issues: number;
  /** Events of that project. */
  readonly events: number;
  /** Jobs of that project; all are finished. */
  readonly jobs: number;
  /** Environments of that project. */
  readonly environments: number;
  /** Many in that first one, the others in all projects. */
  readonly mergeRequests: number;
}

export const LARGE: Amounts = {
  users: 1_000_000,
  groups: 500,
  projects: 100_000,
  issues: 100_000,
  events: 1_000_000,
  jobs: 1_000_000,
  environments: 100_000,
  mergeRequests: 1_000_000,
};

/** Words of which names consist, so that some search texts are common and others rare. */
const WORDS = ['ember', 'granite', 'willow', 'harbor', 'lantern', 'meadow', 'copper', 'falcon', 'juniper', 'quartz'];
const word = (n: string) =>
  sql.raw(`case ${n} % ${WORDS.length} ${WORDS.map((text, at) => `when ${at} then '${text}'`).join(' ')} end`);

/** Returns the timestamp of a seed number: one minute per number. */
const MOMENT = (engine: Database['engine'], n: string) =>
  sql.raw(
    engine === 'sqlite'
      ? `strftime('%Y-%m-%dT%H:%M:%fZ', 1600000000 + ${n} * 60, 'unixepoch')`
      : `to_char(to_timestamp(1600000000 + ${n} * 60) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  );

const numbers = (from: number, to: number) =>
  sql.raw(`with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to})`);

const BATCH = 50_000;

/** Fills the database; existing rows stay. */
export async function seed(database: Database, amounts: Amounts, say: (text: string) => void): Promise<void> {
  const { engine } = database;
  const seeding = { numbers, moment: (n: string) => MOMENT(engine, n), word };
  const steps: [string, number, (tx: Transaction, from: number, to: number) => Promise<unknown>][] = [
    ['users', amounts.users, (tx, from, to) => users(tx, engine, from, to)],
    ['groups', amounts.groups, (tx, from, to) => groups(tx, engine, from, to)],
    ['projects', amounts.projects, (tx, from, to) => projects(tx, engine, amounts, from, to)],
    ['issues', amounts.issues, (tx, from, to) => issues(tx, from, to, seeding)],
    [
      'events',
      amounts.events,
      (tx, from, to) => events(tx, from, to, { ...seeding, count: amounts.events, issues: amounts.issues }),
    ],
    ['jobs', amounts.jobs, (tx, from, to) => jobs(tx, from, to, seeding)],
    ['environments', amounts.environments, (tx, from, to) => environments(tx, from, to, seeding)],
    [
      'merge requests',
      amounts.mergeRequests,
      (tx, from, to) => mergeRequests(tx, from, to, { ...seeding, projects: amounts.projects }),
    ],
  ];
  for (const [name, count, step] of steps) {
    const began = performance.now();
    for (let from = 1; from <= count; from += BATCH) {
      await database.transaction((tx) => step(tx, from, Math.min(count, from + BATCH - 1)));
    }
    // The next step reads the rows of this one.
    await gather(database);
    say(`${count} ${name}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
  }
}

/**
 * Analyzes as many rows of an index as the server does on SQLite, because statistics of all rows lead to other query plans.
 */
async function gather({ engine, transaction }: Database): Promise<void> {
  await transaction(async (tx) => {
    if (engine === 'sqlite') await sql`pragma analysis_limit = 400`.execute(tx);
    await sql`analyze`.execute(tx);
  });
}

async function users(tx: Transaction, engine: Database['engine'], from: number, to: number): Promise<void> {
  const at = MOMENT(engine, 'i');
  await sql`insert into users (username, username_key, name, name_key, email, email_key, confirmed_at, projects_limit,
      admin, auditor, external, state, bio, created_at, updated_at)
    ${numbers(from, to)} select 'seed-' || i, 'seed-' || i, 'User number ' || i || ' ' || ${word('i')},
      'user number ' || i || ' ' || ${word('i')}, 'seed-' || i || '@seed.test', 'seed-' || i || '@seed.test', ${at}, 100000,
      i % 100000 = 7, i % 100000 = 8, i % 1000 = 9, case when i % 500 = 3 then 'blocked' when i % 500 = 4 then 'deactivated' else 'active' end,
      '', ${at}, ${at} from n`.execute(tx);
  await sql`insert into emails (user_id, email, address_key, taken_key, confirmed_at, created_at, updated_at)
    select id, email, email_key, email_key, created_at, created_at, updated_at from users
    where username_key like 'seed-%' and id > (select coalesce(max(user_id), 0) from emails)`.execute(tx);
  await sql`insert into namespaces (kind, owner_id, parent_id, path, name, name_key, description, visibility, created_at, updated_at)
    select 'user', id, null, username, name, name_key, '', 'public', created_at, updated_at from users
    where username_key like 'seed-%' and id > (select coalesce(max(owner_id), 0) from namespaces)
    order by id`.execute(tx);
  await newNamespaces(tx);
}

/** Inserts the route and the closure row of each namespace. */
async function newNamespaces(tx: Transaction): Promise<void> {
  await sql`insert into namespace_closure (ancestor_id, descendant_id, depth)
    select id, id, 0 from namespaces where id > (select coalesce(max(namespace_id), 0) from routes)`.execute(tx);
  await sql`insert into routes (full_path, full_path_key, full_name, namespace_id)
    select path, lower(path), name, id from namespaces
    where id > (select coalesce(max(namespace_id), 0) from routes)`.execute(tx);
}

async function groups(tx: Transaction, engine: Database['engine'], from: number, to: number): Promise<void> {
  const at = MOMENT(engine, 'i');
  await sql`insert into namespaces (kind, owner_id, parent_id, path, name, name_key, description, visibility, created_at, updated_at)
    ${numbers(from, to)} select 'group', null, null, 'group-' || i, 'Group ' || i || ' ' || ${word('i')},
      'group ' || i || ' ' || ${word('i')}, '', case when i % 4 = 0 then 'private' else 'public' end, ${at}, ${at} from n`.execute(
    tx,
  );
  await newNamespaces(tx);
  const someUsers = sql`select id from users where username_key = 'seed-' || (n.id % 1000 + 1)`;
  await sql`insert into memberships (user_id, source_type, source_id, access_level, created_at, updated_at)
    select (${someUsers}), 'group', n.id, 50, n.created_at, n.updated_at from namespaces n where n.kind = 'group'`.execute(
    tx,
  );
  await sql`insert into memberships (user_id, source_type, source_id, access_level, created_at, updated_at)
    select u.id, 'group', n.id, 30, n.created_at, n.updated_at from namespaces n, users u
    where n.kind = 'group' and n.path = 'group-1' and u.username_key like 'seed-1%' and u.id % 1000 <> n.id % 1000
    and u.id < 200000 and u.username_key <> 'seed-' || (n.id % 1000 + 1)`.execute(tx);
}

/** A tenth of the projects is in each of the first two groups; the others are spread evenly over all groups. */
async function projects(
  tx: Transaction,
  engine: Database['engine'],
  { groups: count }: Amounts,
  from: number,
  to: number,
): Promise<void> {
  const at = MOMENT(engine, 'i');
  const group = sql.raw(`case when i % 10 = 0 then 1 when i % 10 = 1 then 2 else 3 + i % ${count - 2} end`);
  await sql`insert into projects (namespace_id, creator_id, path, name, name_key, description, visibility,
      last_activity_at, created_at, updated_at)
    ${numbers(from, to)} select g.id, 1, 'project-' || i, 'Project ' || i || ' ' || ${word('i')},
      'project ' || i || ' ' || ${word('i')}, null,
      case when i % 5 = 0 then 'private' when i % 5 = 1 then 'internal' else 'public' end,
      ${at}, ${at}, ${at}
    from n join namespaces g on g.kind = 'group' and g.path = 'group-' || ${group}`.execute(tx);
  await sql`insert into repositories (project_id, storage, disk_path, default_branch, empty)
    select id, 'default', '@seed/' || id || '.git', 'main', true from projects
    where id > (select coalesce(max(project_id), 0) from repositories)`.execute(tx);
  await sql`insert into routes (full_path, full_path_key, full_name, project_id)
    select g.path || '/' || p.path, lower(g.path || '/' || p.path), g.name || ' / ' || p.name, p.id
    from projects p join namespaces g on g.id = p.namespace_id
    where p.id > (select coalesce(max(project_id), 0) from routes)`.execute(tx);
  await topics(tx, engine);
}

/** Gives one of a hundred projects the topic `rare`. */
async function topics(tx: Transaction, engine: Database['engine']): Promise<void> {
  const at = MOMENT(engine, '0');
  await sql`insert into topics (name, name_key, title, title_key, created_at, updated_at)
    select 'rare', 'rare', 'rare', 'rare', ${at}, ${at} where not exists (select 1 from topics where name_key = 'rare')`.execute(
    tx,
  );
  await sql`insert into project_topics (project_id, topic_id, position)
    select p.id, t.id, 0 from projects p, topics t where p.path like 'project-%00' and t.name_key = 'rare'
    and not exists (select 1 from project_topics o where o.project_id = p.id)`.execute(tx);
}

/** Opens a migrated database with its first users, and with the seed in it. */
export async function seeded(
  place: { readonly dataDir: string; readonly url?: string | undefined },
  amounts: Amounts,
  say: (text: string) => void,
): Promise<void> {
  const clock = systemClock;
  const database = await openDatabase({ ...place, clock });
  await migrate(database);
  const env = {
    HEARTH_DATA_DIR: place.dataDir,
    HEARTH_ROOT_TOKEN: SEED_TOKEN,
    HEARTH_ROOT_PASSWORD: 'bench-password-1',
  };
  const afterCreate = async (tx: Transaction, user: Parameters<typeof createPersonalNamespace>[1]) =>
    void (await createPersonalNamespace(tx, user));
  await bootstrapUsers({ database, config: loadConfig(env), log: { info() {} }, afterCreate });
  await seed(database, amounts, say);
  await database.transaction(async (tx) => {
    const { id } = await tx.selectFrom('users').select('id').where('username', '=', 'seed-1').executeTakeFirstOrThrow();
    const token = { userId: id, name: 'bench', scopes: ['api'], expiresAt: null, prefix: '', secret: USER_TOKEN };
    await createToken(tx, token);
  });
  await gather(database);
  await database.close();
}

if (import.meta.main) {
  const [dataDir = '', url] = process.argv.slice(2);
  await seeded({ dataDir, url }, LARGE, (text) => process.stdout.write(`${text}\n`));
}
