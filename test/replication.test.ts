import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadConfig } from '#config.ts';
import { foldCase } from '#database/name-keys.ts';
import { repositoryExists } from '#git/storage/storage.ts';
import { computeRepositoryChecksum } from '#git/transfer/checksum.ts';
import { createWorkingCopy } from '#git/transport/client.testing.ts';
import { type Secondary, startSecondary } from '#replication/index.ts';
import { getCopy } from '#replication/sync/copies.ts';
import { getRepository } from '#repositories/repository.ts';
import { createLog } from '#runtime/log.ts';
import { ROOT, testPlace } from './engines/engine.ts';
import { expectSuccess, type Project } from './support/namespaces.ts';
import { world } from './support/world.ts';

// Two real servers, a primary and its secondary (contract/operations.md §3, checklist row 48).

const { server, root, clock, newProject, runJobs, name } = await world();
await expectSuccess(root.post('/geo_sites', { name: name('hq'), url: server.address, primary: true }));

interface Site extends Secondary {
  readonly id: number;
  readonly name: string;
  /** Runs the sync after the jobs of the primary, and again for checksums that the primary had to compute. */
  follow(): Promise<void>;
  restart(): Promise<Site>;
  /** The state of the copy of this project. */
  copyOf(project: Project): ReturnType<typeof getCopy>;
  at(path: string, token?: string | null): Promise<Response>;
}

/** A secondary that registers itself with the administrator's token. */
async function newSecondary(): Promise<Site> {
  const place = await testPlace('migrated');
  const siteName = name('lyon');
  const env = {
    HEARTH_ROLE: 'secondary',
    HEARTH_PRIMARY_URL: server.address,
    HEARTH_SITE_NAME: siteName,
    HEARTH_PORT: '0',
    HEARTH_DATA_DIR: place.dataDir,
    ...(place.url === undefined ? {} : { HEARTH_DATABASE_URL: place.url }),
  };
  let stop = async () => {};
  after(async () => {
    await stop();
    await place.remove();
  });
  const start = async (more: Readonly<Record<string, string>>): Promise<Site> => {
    const config = loadConfig({ ...env, ...more });
    const log = createLog(config, { clock, destination: { write() {} } });
    const secondary = await startSecondary(config, {
      clock,
      log,
      detectLongTransactions: true,
      runInBackground: false,
    });
    let stopped: Promise<void> | undefined;
    stop = () => (stopped ??= secondary.stop());
    await secondary.pollOnce();
    const { id } = (await root.get('/geo_sites')).body.find((site: { name: string }) => site.name === siteName);
    return {
      ...secondary,
      id,
      name: siteName,
      async follow() {
        await secondary.pollOnce();
        await runJobs();
        clock.advance(10);
        await secondary.pollOnce();
      },
      async restart() {
        await stop();
        return start({});
      },
      copyOf: ({ id: replicable_id }) =>
        getCopy(secondary.git, 'default', { replicable_name: 'project_repository', replicable_id }),
      at: (path, token = ROOT.token) =>
        fetch(`${secondary.address}${path}`, token === null ? {} : { headers: { 'private-token': token } }),
    };
  };
  return start({ HEARTH_PRIMARY_TOKEN: ROOT.token });
}

async function isSame(site: Site, project: Project): Promise<void> {
  const row = await server.services.database.reader
    .selectFrom('repositories')
    .selectAll()
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow();
  const there = await computeRepositoryChecksum(server.services.git, getRepository(server.services.git, row));
  assert.equal(await computeRepositoryChecksum(site.git, site.copyOf(project)), there);
}

const statusOf = async (site: Site) => (await root.get(`/geo_sites/${site.id}/status`)).body;

let site = await newSecondary();

test('copies and verifies a repository, and replicates its changes and deletion', async () => {
  const project = await newProject({ readme: true });
  await site.follow();
  await isSame(site, project);
  await project.commit({ 'a.txt': 'a' });
  await expectSuccess(project.owner.post(`${project.repository}/branches`, { branch: 'feature', ref: 'main' }));
  await site.follow();
  await isSame(site, project);
  await site.report();
  const status = await statusOf(site);
  assert.equal(status.health, 'Healthy');
  assert.equal(status.project_repositories_synced_count, status.project_repositories_registry_count);
  assert.equal(status.project_repositories_verified_in_percentage, '100.00%');
  assert.equal(status.db_replication_lag_seconds, 0);
  await expectSuccess(root.delete(project.at));
  const full_path = (await root.get(project.at)).body.path_with_namespace;
  await expectSuccess(root.delete(project.at, { permanently_remove: true, full_path }));
  await runJobs();
  await site.follow();
  assert.equal(await repositoryExists(site.copyOf(project)), false);
});

test('a paused site copies nothing, continues when resumed, and catches up after a restart', async () => {
  const project = await newProject({ readme: true });
  await site.follow();
  await expectSuccess(root.put(`/geo_sites/${site.id}`, { enabled: false }));
  const before = await computeRepositoryChecksum(site.git, site.copyOf(project));
  await project.commit({ 'b.txt': 'b' });
  await site.follow();
  assert.equal(await computeRepositoryChecksum(site.git, site.copyOf(project)), before);
  await expectSuccess(root.put(`/geo_sites/${site.id}`, { enabled: true }));
  await site.follow();
  await isSame(site, project);
  await project.commit({ 'c.txt': 'c' });
  const { id } = site;
  site = await site.restart();
  assert.equal(site.id, id);
  await site.follow();
  await isSame(site, project);
});

test('a secondary that was offline for longer than the event retention copies everything again', async () => {
  const [changed, gone] = [await newProject({ readme: true }), await newProject({ readme: true })];
  await site.follow();
  await expectSuccess(root.put(`/geo_sites/${site.id}`, { enabled: false }));
  await changed.commit({ 'd.txt': 'd' });
  await expectSuccess(root.delete(gone.at));
  const full_path = (await root.get(gone.at)).body.path_with_namespace;
  await expectSuccess(root.delete(gone.at, { permanently_remove: true, full_path }));
  await runJobs();
  clock.advance(2 * 86_400);
  await server.services.database.transaction((tx) => tx.deleteFrom('geo_events').execute());
  await expectSuccess(root.put(`/geo_sites/${site.id}`, { enabled: true }));
  await site.follow();
  await isSame(site, changed);
  assert.equal(await repositoryExists(site.copyOf(gone)), false);
});

test('detects a damaged copy and replaces it', async () => {
  const project = await newProject({ readme: true });
  await site.follow();
  const objects = join(site.copyOf(project).directory, 'objects');
  for (const found of await readdir(objects)) {
    if (/^[0-9a-f]{2}$/.test(found)) await rm(join(objects, found), { recursive: true });
  }
  await expectSuccess(root.put(`/geo_sites/${site.id}`, { minimum_reverification_interval: 1 }));
  // Two steps of less than a day: the secondary misses no events, and its verified copies are due for reverification.
  clock.advance(0.6 * 86_400);
  await site.pollOnce();
  clock.advance(0.6 * 86_400);
  await site.pollOnce();
  await site.report();
  assert.equal((await statusOf(site)).project_repositories_verification_failed_count, 1);
  await expectSuccess(root.put(`/geo_sites/${site.id}`, { minimum_reverification_interval: 90 }));
  clock.advance(1);
  await site.settle();
  await site.follow();
  await site.report();
  const status = await statusOf(site);
  assert.equal(status.project_repositories_verification_failed_count, 0);
  assert.equal(status.project_repositories_verified_count, status.project_repositories_registry_count);
  await isSame(site, project);
});

test('a secondary serves fetches of a private repository to its readers only, and forwards pushes to the primary', async () => {
  const project = await newProject({ readme: true, with: ['developer'] });
  await site.follow();
  const path = `/${project.path_with_namespace}.git`;
  const basic = (token: string | null) => ({
    authorization: `Basic ${Buffer.from(`git:${token}`).toString('base64')}`,
  });
  const advertised = async (service: string, headers: Record<string, string>) => {
    const answer = await fetch(`${site.address}${path}/info/refs?service=${service}`, { headers });
    await answer.body?.cancel();
    return [answer.status, answer.headers.get('x-hearth-proxied'), answer.headers.get('x-hearth-site')];
  };
  const { developer } = project;
  assert.deepEqual(await advertised('git-upload-pack', basic(developer.token)), [200, 'false', site.name]);
  assert.deepEqual(await advertised('git-upload-pack', {}), [401, 'true', site.name]);
  assert.deepEqual(await advertised('git-receive-pack', basic(developer.token)), [200, 'true', site.name]);
});

test('a project whose path looks like a wiki is served as a project', async () => {
  const project = await newProject({ readme: true });
  await expectSuccess(project.owner.post(`${project.at}/wikis`, { title: 'Secret', content: 'x' }));
  await site.follow();
  const refs = async (path: string) => {
    const headers = { authorization: `Basic ${Buffer.from(`root:${ROOT.token}`).toString('base64')}` };
    const question = `/${path}.git/info/refs?service=git-upload-pack`;
    const answers = [site.address, server.address].map((address) => fetch(address + question, { headers }));
    const [here, there] = await Promise.all(answers);
    return [here!.headers.get('x-hearth-proxied'), (await here!.text()) === (await there!.text())];
  };
  const path = `${project.path_with_namespace}.wiki`;
  assert.deepEqual(await refs(path), ['false', true]);
  // The API rejects such a path today, but older projects may have one.
  const other = await newProject({ owner: project.owner, readme: true });
  const named = { full_path: path, full_path_key: foldCase(path) };
  await server.services.database.transaction((tx) =>
    tx.updateTable('routes').set(named).where('project_id', '=', other.id).execute(),
  );
  clock.advance(61);
  assert.deepEqual(await refs(path), ['true', true]);
  await site.follow();
  await isSame(site, other);
  clock.advance(61);
  assert.deepEqual(await refs(path), ['false', true]);
});

test('a push to the secondary reaches the primary and is replicated back', async (t) => {
  const project = await newProject({ readme: true });
  await site.follow();
  const url = new URL(`${site.address}/${project.path_with_namespace}.git`);
  Object.assign(url, { username: 'git', password: project.owner.token });
  const copy = await createWorkingCopy(t);
  await copy.git('fetch', '-q', url.href, 'main');
  await copy.git('checkout', '-q', '-b', 'pushed', 'FETCH_HEAD');
  const id = await copy.commit('Through the secondary', { 'here.txt': 'here' });
  await copy.git('push', '-q', url.href, 'pushed');
  assert.equal((await project.owner.get(`${project.repository}/branches/pushed`)).body.commit.id, id);
  await site.follow();
  await isSame(site, project);
});

test('returns sites with their status, and the current status for this site', async () => {
  const listed = await site.at('/api/v4/geo_sites?per_page=100');
  assert.equal(listed.headers.get('x-hearth-proxied'), 'false');
  const rows = (await listed.json()) as { id: number; current: boolean }[];
  assert.deepEqual(
    rows.filter(({ current }) => current).map(({ id }) => id),
    [site.id],
  );
  await site.report();
  const there = await statusOf(site);
  const here = (await (await site.at(`/api/v4/geo_sites/${site.id}/status`)).json()) as Record<string, unknown>;
  assert.deepEqual(Object.keys(here).sort(), Object.keys(there).sort());
  assert.deepEqual(here.project_repositories_registry_count, there.project_repositories_registry_count);
  assert.deepEqual(here._links, there._links);
  assert.equal((await site.at('/api/v4/geo_sites', null)).status, 401);
});

test('a deleted site stops copying and proxies all requests', async () => {
  const project = await newProject({ readme: true, visibility: 'public' });
  await site.follow();
  await expectSuccess(root.delete(`/geo_sites/${site.id}`));
  await site.follow();
  assert.equal(await repositoryExists(site.copyOf(project)), true);
  const answer = await site.at(`/${project.path_with_namespace}.git/info/refs?service=git-upload-pack`, null);
  await answer.body?.cancel();
  assert.deepEqual([answer.status, answer.headers.get('x-hearth-proxied')], [200, 'true']);
});
