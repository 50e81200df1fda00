import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { getRepository } from '#repositories/repository.ts';
import { newSite } from '#test/support/replication-sites.ts';
import { expectSuccess, world } from '#test/support/world.ts';

const here = await world();
const { server, anonymous, name, newGroup, newProject } = here;

const directory = await mkdtemp(join(tmpdir(), 'hearth-site-'));
after(() => rm(directory, { recursive: true, force: true }));

const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
const git = async (...args: string[]) =>
  (await promisify(execFile)('git', args, { cwd: directory, env })).stdout.trim();

async function directoryOf(projectId: number): Promise<string> {
  const row = await server.services.database.reader
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return getRepository(server.services.git, row).directory;
}

test('a site clones a private repository with all refs, including hidden ones', async () => {
  const site = await newSite(here);
  const project = await newProject({ readme: true });
  const path = project.path_with_namespace;
  await expectSuccess(project.owner.post(`${project.repository}/branches`, { branch: 'other', ref: 'main' }));
  const directory = await directoryOf(project.id);
  const head = await git('-C', directory, 'rev-parse', 'HEAD');
  for (const hidden of ['refs/keep-around/a', 'refs/environments/b'])
    await git('-C', directory, 'update-ref', hidden, head);
  const { Authorization } = site.proof({ scope: path }, { lifetime: 7200 });
  const copy = name('copy.git');
  await git(
    '-c',
    `http.extraHeader=Authorization: ${Authorization}`,
    'clone',
    '-q',
    '--mirror',
    `${server.address}/${path}.git`,
    copy,
  );
  const refs = (where: string) => git('-C', where, 'for-each-ref', '--format=%(objectname) %(refname)');
  assert.equal(await refs(copy), await refs(directory));
  for (const hidden of ['refs/keep-around/a', 'refs/environments/b'])
    assert.equal((await refs(copy)).includes(hidden), true);
  assert.equal(await git('-C', copy, 'symbolic-ref', 'HEAD'), 'refs/heads/main');
  const shown = await git('ls-remote', `${server.address.replace('://', `://x:${project.owner.token}@`)}/${path}.git`);
  assert.equal(/keep-around|environments/.test(shown), false);
});

const advertised = (path: string, headers: Record<string, string>, service = 'git-upload-pack') =>
  anonymous.send('GET', `//${path}.git/info/refs?service=${service}`, { headers });

test('a site fetches only repositories in its scope, with a token for each, and cannot push', async () => {
  const [group, elsewhere] = [await newGroup(), await newProject({ readme: true })];
  const { path_with_namespace: path } = await newProject({ in: group, readme: true });
  const site = await newSite(here, { selective_sync_type: 'namespaces', selective_sync_namespace_ids: [group.id] });
  const own = () => site.proof({ scope: path });
  assert.equal((await advertised(path, own())).status, 200);
  assert.equal((await advertised(path, own(), 'git-receive-pack')).status, 403);
  assert.equal(
    (await anonymous.send('POST', `//${path}.git/git-receive-pack`, { raw: '0000', headers: own() })).status,
    403,
  );
  assert.equal((await advertised(path, site.proof())).status, 401);
  assert.equal((await advertised(path, site.proof({ scope: elsewhere.path_with_namespace }))).status, 401);
  const foreign = elsewhere.path_with_namespace;
  assert.equal((await advertised(foreign, site.proof({ scope: foreign }))).status, 404);
  assert.equal((await advertised('no/where', site.proof({ scope: 'no/where' }))).status, 404);
  const snippet = { title: 'a', file_name: 'a', content: 'a' };
  const { id } = (await expectSuccess(here.root.post('/snippets', snippet))).body;
  const all = await newSite(here);
  assert.equal((await advertised(`snippets/${id}`, all.proof({ scope: `snippets/${id}` }))).status, 200);
  assert.equal((await advertised(`snippets/${id}`, site.proof({ scope: `snippets/${id}` }))).status, 404);
  const lfs = await anonymous.send('GET', `//${path}.git/gitlab-lfs/objects/${'a'.repeat(64)}`, { headers: own() });
  assert.equal(lfs.status, 401);
  await expectSuccess(site.send('PUT', site.at, { enabled: false }));
  assert.equal((await advertised(path, own())).status, 401);
});
