import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Caller, type Project, world } from '#test/support/world.ts';

const { newProject } = await world();

const place = await mkdtemp(join(tmpdir(), 'hearth-push-'));
after(() => rm(place, { recursive: true, force: true }));

/** The real git, in a directory below the test's own, without anybody's configuration. */
function git(directory: string, ...args: string[]): Promise<{ ok: boolean; out: string; said: string }> {
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    HOME: place,
  };
  const identity = ['-c', 'user.name=Push', '-c', 'user.email=push@hearth.test', '-c', 'init.defaultBranch=main'];
  return new Promise((resolve) => {
    execFile('git', [...identity, ...args], { cwd: join(place, directory), env }, (error, out, said) =>
      resolve({ ok: error === null, out, said }),
    );
  });
}

const remoteOf = async (caller: Caller, path: string) => {
  const { server } = await world();
  return `${server.address.replace('http://', `http://x:${caller.token}@`)}/${path}.git`;
};

let copies = 0;
async function workingCopy(): Promise<string> {
  const name = `copy-${copies++}`;
  await git('.', 'init', '-q', name);
  await commit(name, 'first');
  return name;
}

async function commit(copy: string, text: string): Promise<void> {
  await writeFile(join(place, copy, `${text}.txt`), text);
  await git(copy, 'add', '.');
  await git(copy, 'commit', '-q', '-m', `Write ${text}`);
}

test('the first push makes the default branch, protects it and is an event', async () => {
  const { project, owner, server } = await world({ project: {} });
  const copy = await workingCopy();
  const pushed = await git(copy, 'push', await remoteOf(owner, project.path_with_namespace), 'HEAD:trunk');
  assert.ok(pushed.ok, pushed.said);
  const pushedTo = await owner.get(project.at);
  assert.deepEqual([pushedTo.body.default_branch, pushedTo.body.empty_repo], ['trunk', false]);
  const [rule] = (await owner.get(`${project.at}/protected_branches`)).body;
  assert.equal(rule.name, 'trunk');
  const events = await server.services.database.reader
    .selectFrom('activity_events')
    .select(['action_name', 'push_action', 'ref', 'commit_count', 'commit_from', 'commit_title', 'author_id'])
    .where('project_id', '=', project.id)
    .where('action', '=', 'pushed')
    .execute();
  assert.deepEqual(events, [
    {
      action_name: 'pushed new',
      push_action: 'created',
      ref: 'trunk',
      commit_count: 1,
      commit_from: null,
      commit_title: 'Write first',
      author_id: owner.id,
    },
  ]);
});

/** None of these pushes goes through, each is told why, and `main` stays the only branch. */
async function refuses(
  { owner, path_with_namespace, repository }: Project,
  cases: readonly [Caller, string[], RegExp][],
) {
  const copy = await workingCopy();
  for (const [caller, args, text] of cases) {
    const { ok, said } = await git(copy, 'push', await remoteOf(caller, path_with_namespace), ...args);
    assert.equal(ok, false);
    assert.match(said, text);
    assert.match(said, /pre-receive hook declined/);
  }
  const { body } = await owner.get(`${repository}/branches`);
  assert.deepEqual(
    body.map((branch: { name: string }) => branch.name),
    ['main'],
  );
}

test('one ref that a rule refuses refuses the whole push, with the text on the side band', async () => {
  const { project, owner, developer } = await world({ project: { readme: true, with: ['developer'] } });
  await refuses(project, [
    [
      developer,
      ['-f', 'HEAD:main', 'HEAD:fresh'],
      /GitLab: You are not allowed to push code to protected branches on this project\./,
    ],
    [
      owner,
      ['-f', 'HEAD:main', 'HEAD:fresh'],
      /GitLab: You are not allowed to force push code to a protected branch on this project\./,
    ],
    [owner, [':main', 'HEAD:fresh'], /GitLab: The default branch of a project cannot be deleted\./],
  ]);
});

test('one ref with the name of an id refuses the whole push', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await refuses(project, [
    [
      owner,
      [`HEAD:refs/heads/${'a'.repeat(40)}`, 'HEAD:fresh'],
      /GitLab: You cannot create a branch with a SHA-1 or SHA-256 branch name\./,
    ],
    [
      owner,
      [`HEAD:refs/tags/${'a'.repeat(64)}`, 'HEAD:fresh'],
      /GitLab: You cannot create a tag with a SHA-1 or SHA-256 tag name\./,
    ],
  ]);
});

test('a rule that lets a branch be forced lets it be made, and what no rule names goes', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const copy = await workingCopy();
  const push = async (caller: Caller, ...args: string[]) =>
    git(copy, 'push', await remoteOf(caller, project.path_with_namespace), ...args);
  await owner.post(`${project.at}/protected_branches`, { name: 'forced', allow_force_push: true });
  assert.ok((await push(owner, 'HEAD:forced', 'HEAD:fresh')).ok);
  assert.ok((await push(owner, ':fresh')).ok);
});

/** What a client asks first, with this token as its password. */
async function ask(project: string, token: string | null, service = 'git-upload-pack') {
  const { server } = await world();
  const headers: Record<string, string> =
    token === null ? {} : { Authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` };
  const answer = await fetch(`${server.address}/${project}.git/info/refs?service=${service}`, {
    headers,
    redirect: 'manual',
  });
  return { status: answer.status, text: await answer.text(), challenge: answer.headers.get('www-authenticate') };
}

test('missing and hidden projects look the same', async () => {
  const { owner } = await newProject({ visibility: 'public', readme: true });
  const hidden = await newProject();
  const missing = await ask('no/thing', null);
  assert.deepEqual([missing.status, missing.challenge], [401, 'Basic realm="Hearth"']);
  assert.deepEqual(await ask(hidden.path_with_namespace, null), missing);
  assert.match(
    (await ask(hidden.path_with_namespace, owner.token)).text,
    /could not be found or you don't have permission to view it/,
  );
});

test('wrong credentials are refused even where none are needed, and so is what git does not ask', async () => {
  const { withToken } = await world();
  const { owner, path_with_namespace: path } = await newProject({ visibility: 'public', readme: true });
  assert.equal((await ask(path, null)).status, 200);
  assert.equal((await ask(path, null, 'git-receive-pack')).status, 401);
  assert.equal((await ask(path, 'wrong')).status, 401);
  assert.equal((await ask(path, owner.token, 'git-other')).status, 403);
  assert.equal(withToken(owner, null).token, null);
});

test('a token reads and writes as far as its scopes go', async () => {
  const { tokenOf } = await world();
  const { owner, path_with_namespace: path } = await newProject({ visibility: 'public', readme: true });
  const reader = await tokenOf(owner, ['read_repository']);
  assert.equal((await ask(path, reader.token)).status, 200);
  const refused = await ask(path, reader.token, 'git-receive-pack');
  assert.deepEqual([refused.status, refused.text], [403, 'You are not allowed to upload code.']);
  const user = await tokenOf(owner, ['read_user']);
  assert.equal((await ask(path, user.token)).text, 'You are not allowed to download code.');
});

test('a moved project is fetched by its old path and not pushed to', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await owner.put(project.at, { path: 'elsewhere' });
  assert.ok((await git('.', 'clone', '-q', await remoteOf(owner, project.path_with_namespace), 'moved')).ok);
  const copy = await workingCopy();
  const { ok, said } = await git(copy, 'push', await remoteOf(owner, project.path_with_namespace), 'HEAD:new');
  assert.equal(ok, false);
  assert.match(said, /elsewhere\.git|not found/);
});

test('pushes at once of one branch: one wins, and there is one event for each move', async () => {
  const { project, owner, server } = await world({ project: { readme: true } });
  const remote = await remoteOf(owner, project.path_with_namespace);
  const all = await Promise.all([1, 2, 3, 4].map(() => workingCopy()));
  const results = await Promise.all(all.map((copy) => git(copy, 'push', remote, 'HEAD:race')));
  assert.ok(results.some(({ ok }) => ok));
  const events = await server.services.database.reader
    .selectFrom('activity_events')
    .select('ref')
    .where('project_id', '=', project.id)
    .where('ref', '=', 'race')
    .execute();
  assert.equal(events.length, 1);
  assert.deepEqual(await server.services.database.reader.selectFrom('ref_intents').selectAll().execute(), []);
});

test('a lock that a dead machine has left is in the way of one push, not of the next', async () => {
  const { project, owner, server, clock } = await world({ project: {} });
  const copy = await workingCopy();
  const remote = await remoteOf(owner, project.path_with_namespace);
  assert.ok((await git(copy, 'push', remote, 'HEAD:main')).ok);
  const { storage, disk_path } = await server.services.database.reader
    .selectFrom('repositories')
    .select(['storage', 'disk_path'])
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow();
  const heads = join(server.services.git.storages[storage]!, disk_path, 'refs/heads');
  const long = new Date(clock.now().getTime() - 12 * 60_000);
  for (const lock of ['main.lock', 'other.lock']) {
    await writeFile(join(heads, lock), '');
    await utimes(join(heads, lock), long, long);
  }
  await commit(copy, 'second');
  assert.ok(!(await git(copy, 'push', remote, 'HEAD:main')).ok);
  assert.deepEqual((await readdir(heads)).sort(), ['main', 'other.lock'], 'only the pushed ref is looked at');
  const next = await git(copy, 'push', remote, 'HEAD:main');
  assert.ok(next.ok, next.said);
});
