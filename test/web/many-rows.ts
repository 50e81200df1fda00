import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Post } from './page-values.ts';

/** Columns of a copied row that differ from the original; each is an SQL expression of the number `n` of the copy. */
type Changes = Readonly<Record<string, string>>;

const appendNumber = (...columns: readonly string[]): Changes =>
  Object.fromEntries(columns.map((column) => [column, `${column} || '-' || n`]));

const TITLE = { iid: 'iid + 10 * n', ...appendNumber('title', 'title_key') };

/** A time within the last years, a minute apart, so that rows have an order. */
const CREATED_AT = { created_at: "strftime('%Y-%m-%dT%H:%M:%fZ', unixepoch('now') - 60 * n, 'unixepoch')" };

/**
 * Each table with the rows of which copies are made, and how a copy differs from the row. Variables and trigger tokens are missing:
 * their values are encrypted for one row.
 */
const COPIES: readonly (readonly [table: string, rows: string, changes: Changes])[] = [
  ['users', "username = 'stoker'", appendNumber('username', 'username_key', 'name', 'name_key', 'email', 'email_key')],
  ['emails', 'user_id = 1', appendNumber('email', 'address_key', 'taken_key')],
  ['labels', "title in ('fault', 'urgent')", appendNumber('title', 'title_key')],
  ['milestones', "title in ('Winter', 'Spring')", TITLE],
  [
    'iterations',
    '1',
    { iid: 'iid + 10 * n', start_date: "date(start_date, n || ' days')", due_date: "date(due_date, n || ' days')" },
  ],
  ['issues', "title = 'The grate rattles at night'", { ...TITLE, ...CREATED_AT }],
  ['merge_requests', '1', { ...TITLE, ...CREATED_AT, state: "'closed'" }],
  ['epics', '1', { ...TITLE, ...CREATED_AT }],
  ['notes', "body = 'It rattles **here** too.'", { discussion_id: "printf('%040x', n)", ...CREATED_AT }],
  ['pipelines', '1', { iid: 'iid + 10 * n', origin: 'origin || n', status: "'success'", ...CREATED_AT }],
  ['jobs', "name = 'lint'", appendNumber('name')],
  ['pipeline_schedules', '1', appendNumber('description')],
  ['access_tokens', '1', { ...appendNumber('name', 'name_key'), digest: 'randomblob(32)' }],
  ['runners', '1', { token_digest: 'randomblob(32)' }],
  ['activity_events', 'id = 1', CREATED_AT],
  ['namespaces', "kind = 'group' and parent_id is null", appendNumber('path', 'name', 'name_key')],
  ['projects', "path = 'first-stove'", appendNumber('path', 'name', 'name_key')],
];

/** Rows that belong to the copies. */
const RELATED = [
  `insert into namespace_closure (ancestor_id, descendant_id, depth) select id, id, 0 from namespaces
    where id not in (select descendant_id from namespace_closure)`,
  `insert into routes (full_path, full_path_key, full_name, namespace_id) select path, lower(path), name, id from namespaces
    where id not in (select namespace_id from routes where namespace_id is not null)`,
  `insert into routes (full_path, full_path_key, full_name, project_id)
    select 'root/' || path, 'root/' || lower(path), 'root / ' || name, id from projects
    where id not in (select project_id from routes where project_id is not null)`,
  `insert into repositories (project_id, storage, disk_path, default_branch, empty)
    select id, 'default', '@copies/' || id || '.git', 'main', true from projects
    where id not in (select project_id from repositories)`,
  `insert into memberships (user_id, source_type, source_id, access_level, created_at, updated_at)
    select u.id, m.source_type, m.source_id, 30, m.created_at, m.updated_at from users u, memberships m
    where u.username like 'stoker-%' and m.user_id = (select id from users where username = 'stoker')`,
  `insert into memberships (user_id, source_type, source_id, access_level, created_at, updated_at)
    select 1, 'group', id, 50, created_at, updated_at from namespaces where kind = 'group'
    and id not in (select source_id from memberships where source_type = 'group' and user_id = 1)`,
  `insert into runner_projects (runner_id, project_id) select r.id, p.project_id from runners r, runner_projects p
    where r.id not in (select runner_id from runner_projects)`,
  `insert into epic_issues (epic_id, issue_id, relative_position)
    select (select min(id) from epics), id, id from issues where id not in (select issue_id from epic_issues)`,
  `insert into todos (user_id, author_id, project_id, issue_id, action, state, created_at, updated_at)
    select 1, 1, project_id, id, 'marked', 'pending', created_at, created_at from issues`,
  `update issues set iteration_id = (select min(id) from iterations)`,
  `update iid_counters set last = last + 1000000`,
];

/** Creates rows that `multiplyRows` needs, after those of `createPageValues`. */
export async function createMember(post: Post, { project, group }: Readonly<Record<string, string>>): Promise<void> {
  const { id: user_id } = await post('/users', {
    name: 'Stoker',
    username: 'stoker',
    email: 'stoker@stove.example',
    password: 'long-password-1',
    skip_confirmation: true,
  });
  for (const [type, path] of [
    ['projects', project],
    ['groups', group],
  ] as const)
    await post(`/${type}/${encodeURIComponent(path ?? '')}/members`, { user_id, access_level: 30 });
}

/** Copies the rows of an SQLite database that pages list, so that each list has about so many. The server must have stopped. */
export function multiplyRows(dataDirectory: string, count: number): void {
  const database = new DatabaseSync(join(dataDirectory, 'hearth.sqlite3'));
  database.exec('begin');
  for (const [table, rows, changes] of COPIES) {
    const columns = database
      .prepare(`select name from pragma_table_info(?) where name <> 'id'`)
      .all(table)
      .map(({ name }) => String(name));
    const values = columns.map((column) => changes[column] ?? column);
    database.exec(`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count - 1})
      insert into ${table} (${columns.join(', ')}) select ${values.join(', ')} from ${table}, numbers where ${rows}`);
  }
  for (const statement of RELATED) database.exec(statement);
  database.exec('commit; analyze');
  database.close();
}
