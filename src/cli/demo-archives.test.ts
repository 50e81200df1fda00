import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createEmptyPlace } from '#backup/archives.testing.ts';
import { loadConfig } from '#config.ts';
import { type Server, startServer } from '#server.ts';
import { engine, type TestPlace } from '#test/engines/engine.ts';
import { scratchDirectory } from '#test/engines/scratch.ts';
import { type ApiClient, createApiClient } from './demo/api-client.ts';
import { createDemo } from './demo/create-demo.ts';
import { createStoryClock } from './demo/story-clock.ts';
import { createWorkTree } from './demo/work-tree.ts';
import { runInProcess } from './process.testing.ts';

// Backs up and restores, by the commands, what clients have made: the year of `hearth demo`.

const clock = createStoryClock(new Date('2026-06-30T18:00:00Z'));
const ROOT_TOKEN = 'demo-root-token-of-archives';
const PASSWORD = 'a long enough passphrase';

type Place = Pick<TestPlace, 'dataDir' | 'url'>;

const environmentOf = ({ dataDir, url }: Place) => ({
  HEARTH_DATA_DIR: dataDir,
  HEARTH_PORT: '0',
  HEARTH_LOG_LEVEL: 'error',
  HEARTH_EXTERNAL_URL: 'http://hearth.example',
  ...(url === undefined ? {} : { HEARTH_DATABASE_URL: url }),
});

/** Runs a command, which must succeed. Returns what it prints. */
async function runCommand(place: Place, ...args: string[]): Promise<string> {
  const { out, err, code } = await runInProcess(args, environmentOf(place));
  assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`);
  return out;
}

/** Runs a server on this data for the time of `work`, without background jobs. */
async function whileServing<T>(place: Place, work: (server: Server) => Promise<T>): Promise<T> {
  const env = { ...environmentOf(place), HEARTH_ROOT_TOKEN: ROOT_TOKEN, HEARTH_ROOT_PASSWORD: PASSWORD };
  const server = await startServer(loadConfig(env), { clock, work: false, isDurable: false });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

// Without statistics: the size of a repository on the disk depends on how git packed it.
const PROJECT_LISTS = [
  '',
  '?license=true',
  ...[
    '/issues',
    '/merge_requests',
    '/pipelines',
    '/jobs',
    '/wikis?with_content=true',
    '/snippets',
    '/members/all',
    '/labels',
    '/milestones',
  ],
  ...['/variables', '/triggers', '/events', '/environments', '/deployments', '/protected_branches'],
  ...['/repository/tree?recursive=true', '/repository/commits', '/repository/branches', '/repository/tags'],
  ...['/repository/contributors', '/issues?search=the'],
];
const LISTS = ['/users', '/groups', '/projects', '/issues?scope=all', '/merge_requests?scope=all', '/runners/all'];

/** Returns the bytes and the headers of lists, and of each object in them, by path. */
async function readAnswers({ address }: Server, token: string): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  const read = async (path: string) => {
    const response = await fetch(`${address}/api/v4${path}`, { headers: { 'PRIVATE-TOKEN': token } });
    const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
    const headers = [...response.headers].filter(([name]) =>
      /^(?:content-type|etag|link|x-(?:total|next)\S*)$/.test(name),
    );
    answers.set(path, `${response.status} ${headers.join(' ')} ${body}`);
    assert.equal(response.status, 200, `${path}: ${body}`);
    return body;
  };
  const readIds = async (path: string, key = 'id'): Promise<number[]> => {
    const page = `${path}${path.includes('?') ? '&' : '?'}per_page=30`;
    return (JSON.parse(await read(page)) as Record<string, number>[]).map((object) => object[key]!);
  };
  for (const list of LISTS) await readIds(list);
  for (const id of await readIds('/users?order_by=id')) await read(`/users/${id}`);
  for (const group of await readIds('/groups?order_by=id')) {
    for (const part of ['', '/members', '/labels', '/milestones', '/issues']) await read(`/groups/${group}${part}`);
  }
  for (const project of await readIds('/projects?order_by=id')) {
    const at = `/projects/${project}`;
    for (const list of PROJECT_LISTS) await read(`${at}${list}`);
    for (const iid of await readIds(`${at}/issues?sort=asc`, 'iid')) {
      for (const part of ['', '/discussions', '/resource_label_events']) await read(`${at}/issues/${iid}${part}`);
    }
    for (const iid of await readIds(`${at}/merge_requests?sort=asc`, 'iid')) {
      for (const part of ['', '/diffs', '/commits', '/notes', '/pipelines'])
        await read(`${at}/merge_requests/${iid}${part}`);
    }
    for (const pipeline of await readIds(`${at}/pipelines`)) await read(`${at}/pipelines/${pipeline}/jobs`);
    for (const job of await readIds(`${at}/jobs`)) {
      await read(`${at}/jobs/${job}`);
      await read(`${at}/jobs/${job}/trace`);
    }
    for (const id of await readIds(`${at}/snippets`)) await read(`${at}/snippets/${id}/raw`);
  }
  return answers;
}

/** Creates what the demo lacks: repositories of wikis and snippets, and secrets, whose value the responses contain. */
async function addToDemo(root: ApiClient): Promise<void> {
  for (const { id } of await root.request('GET', '/projects')) {
    const at = `/projects/${id}`;
    await root.request('POST', `${at}/wikis`, { title: 'home', content: `The wiki of ${id}` });
    const files = [{ file_path: 'a.txt', content: 'A snippet' }];
    await root.request('POST', `${at}/snippets`, { title: 'Snippet', visibility: 'private', files });
    await root.request('POST', `${at}/variables`, { key: 'SECRET', value: 'what the key decrypts' });
  }
}

/** Creates the demo on SQLite. Returns a token of the administrator. */
async function createSource(place: Place): Promise<string> {
  await whileServing(place, (server) => createDemo(server, { clock, rootToken: ROOT_TOKEN, password: PASSWORD }));
  const args = ['token', 'create', '--user', 'root', '--name', 'reader', '--scopes', 'api'];
  return (await runCommand(place, ...args)).trim();
}

/** Asserts that a restored server accepts rows of many tables and a push, and that doctor finds nothing afterwards. */
async function isUsable(place: Place, token: string): Promise<void> {
  await whileServing(place, async (server) => {
    const root = createApiClient(server.address, token);
    const { id: user } = await root.request('POST', '/users', {
      ...{ username: 'new', name: 'New', email: 'new@northfire.example', password: PASSWORD },
    });
    assert.equal((await root.request('GET', `/users/${user}`)).username, 'new');
    const { id: group } = await root.request('POST', '/groups', { name: 'New', path: 'new-group' });
    const created = await root.request('POST', '/projects', { name: 'fresh', namespace_id: group });
    assert.equal(created.path_with_namespace, 'new-group/fresh');
    const [{ id, path_with_namespace: path }] = await root.request('GET', '/projects?search=controller');
    const at = `/projects/${id}`;
    const [{ iid: last }] = await root.request('GET', `${at}/issues?order_by=created_at&sort=desc`);
    const issue = await root.request('POST', `${at}/issues`, { title: 'After the restore', labels: 'new-label' });
    assert.ok(issue.iid > last);
    await root.request('POST', `${at}/issues/${issue.iid}/notes`, { body: 'A note' });
    await root.request('POST', `${at}/variables`, { key: 'NEXT', value: 'secret' });
    await root.request('POST', `${at}/milestones`, { title: 'Next' });
    const workTree = await createWorkTree(
      join(await scratchDirectory('hearth-push-'), 'clone.git'),
      `${server.address}/${path}.git`,
    );
    const committer = { name: 'Root', email: 'root@northfire.example', username: 'root', token };
    const commits = [{ message: 'Push after the restore', files: { 'restored.txt': 'yes\n' } }];
    await workTree.push({ branch: 'after-restore', start: 'main', commits, time: clock.now(), committer });
    await server.queue.runDue();
    const branch = await root.request('GET', `${at}/repository/branches/after-restore`);
    assert.equal(branch.commit.title, 'Push after the restore');
    const merge = { source_branch: 'after-restore', target_branch: 'main', title: 'Merge it' };
    const { iid } = await root.request('POST', `${at}/merge_requests`, merge);
    assert.equal((await root.request('GET', `${at}/merge_requests/${iid}/commits`)).length, 1);
    const pipeline = await root.request('POST', `${at}/pipeline?ref=main`);
    assert.ok((await root.request('GET', `${at}/pipelines/${pipeline.id}/jobs`)).length > 0);
    await server.queue.runDue();
  });
  assert.match(await runCommand(place, 'doctor'), /No problems found/);
}

test('restores the data of clients in all four directions, with equal answers, and it can be used', async (t: TestContext) => {
  if (engine === 'sqlite') return t.skip('the run on PostgreSQL has both engines');
  const directory = await scratchDirectory('hearth-archives-');
  await using source = await createEmptyPlace('sqlite');
  const token = await createSource(source);
  await whileServing(source, (server) => addToDemo(createApiClient(server.address, token)));
  const answers = await whileServing(source, (server) => readAnswers(server, token));
  assert.ok(answers.size > 300, `${answers.size} answers`);
  const backUp = async (place: Place, name: string): Promise<string> => {
    const file = join(directory, `${name}.tar`);
    await runCommand(place, 'backup', file, '--with-secret-key');
    return file;
  };
  const restoreEqually = async (place: Place, file: string): Promise<void> => {
    await runCommand(place, 'restore', file);
    assert.match(await runCommand(place, 'doctor'), /No problems found/);
    const restoredAnswers = await whileServing(place, (server) => readAnswers(server, token));
    assert.deepEqual([...restoredAnswers.keys()], [...answers.keys()]);
    for (const [path, answer] of answers) assert.equal(restoredAnswers.get(path), answer, path);
  };
  const ofSqlite = await backUp(source, 'of-sqlite');
  await using postgres = await createEmptyPlace();
  await restoreEqually(postgres, ofSqlite);
  const ofPostgres = await backUp(postgres, 'of-postgres');
  await isUsable(postgres, token);
  for (const [file, target] of [
    [ofSqlite, 'sqlite'],
    [ofPostgres, 'sqlite'],
    [ofPostgres, 'postgres'],
  ] as const) {
    await using place = await createEmptyPlace(target);
    await restoreEqually(place, file);
    await isUsable(place, token);
  }
});
