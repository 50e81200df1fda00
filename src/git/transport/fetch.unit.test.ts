import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { GitError } from '../process/failures.ts';
import { runGit } from '../process/spawn.ts';
import { listRefs, setHead } from '../refs/refs.ts';
import { fsck } from '../storage/maintenance.ts';
import { ensureRepository } from '../storage/storage.ts';
import { computeRepositoryChecksum } from '../transfer/checksum.ts';
import { gitWithoutRepository, gitWithRepository, serve, workingCopy } from './client.testing.ts';
import { fetchAllRefs, fetchUntrusted, findRemoteHead } from './fetch.ts';

test('fetches all refs of any name, and deletes refs deleted on the remote', async (t) => {
  const source = await gitWithRepository(t);
  const here = await gitWithRepository(t);
  const { url } = await serve(t, source.git, source.repository);
  const copy = await workingCopy(t);
  const id = await copy.commit('First', { 'a.txt': 'a\n' });
  await copy.git('push', url, 'main:main', 'main:a');
  await runGit(source.git, source.repository, 'update-ref', { args: ['refs/merge-requests/1/head', id] });
  const same = async () =>
    assert.equal(
      await computeRepositoryChecksum(here.git, here.repository),
      await computeRepositoryChecksum(source.git, source.repository),
    );
  await fetchAllRefs(here.git, here.repository, { url, headers: [] });
  await same();
  // A directory in place of a branch.
  await copy.git('push', url, ':a');
  await copy.git('push', url, 'main:a/b');
  await fetchAllRefs(here.git, here.repository, { url, headers: [] });
  await same();
});

test('finds the HEAD branch of the remote, and null while that branch is missing', async (t) => {
  const source = await gitWithRepository(t);
  const { url } = await serve(t, source.git, source.repository);
  assert.equal(await findRemoteHead(source.git, { url, headers: [] }), null);
  const copy = await workingCopy(t);
  await copy.commit('First');
  await copy.git('push', url, 'main:trunk');
  await setHead(source.git, source.repository, 'trunk');
  assert.equal(await findRemoteHead(source.git, { url, headers: [] }), 'trunk');
});

/** A server that records requests and responds with this status and these headers. */
async function noting(t: { after(end: () => void): void }, status: number, headers: Record<string, string>) {
  const requests: unknown[] = [];
  const server = createServer((request, response) => {
    requests.push(request.headers['x-note']);
    response.writeHead(status, headers).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.git`, seen: requests };
}

test('sends headers only to the configured server, not to redirect targets', async (t) => {
  const { git, repository } = await gitWithoutRepository(t);
  await ensureRepository(repository, { defaultBranch: 'main' });
  const elsewhere = await noting(t, 200, {});
  const redirecting = await noting(t, 302, { Location: `${elsewhere.url}/info/refs?service=git-upload-pack` });
  const remote = { url: redirecting.url, headers: ['X-Note: for you alone'] };
  await assert.rejects(fetchAllRefs(git, repository, remote), GitError);
  await assert.rejects(findRemoteHead(git, remote), GitError);
  assert.deepEqual(redirecting.seen, ['for you alone', 'for you alone']);
  assert.deepEqual(elsewhere.seen, []);
});

test('fetches only the named refs of an external server, from the checked address', async (t) => {
  const source = await gitWithRepository(t);
  const here = await gitWithRepository(t);
  const { url } = await serve(t, source.git, source.repository);
  const copy = await workingCopy(t);
  const id = await copy.commit('First', { 'a.txt': 'a\n' });
  await copy.git('push', url, 'main:main');
  await runGit(source.git, source.repository, 'update-ref', { args: ['refs/pipelines/1', id] });
  // This name cannot be resolved.
  const { port } = new URL(url);
  const named = url.replace(/127\.0\.0\.1|localhost/, 'forge.invalid');
  const remote = { url: named, headers: [], resolve: [`forge.invalid:${port}:127.0.0.1`] };
  const { signal } = new AbortController();
  await fetchUntrusted(here.git, here.repository, remote, ['+refs/heads/*:refs/heads/*'], signal);
  const refs = await listRefs(here.git, here.repository, 'refs/');
  assert.deepEqual(
    refs.map(({ name, id: at }) => [name, at]),
    [['refs/heads/main', id]],
  );
  const unresolved = { ...remote, resolve: [] };
  await assert.rejects(
    fetchUntrusted(here.git, here.repository, unresolved, ['+refs/heads/*:refs/heads/*'], signal),
    GitError,
  );
});

test('a cancelled fetch from an external server stops', async (t) => {
  const { git, repository } = await gitWithRepository(t);
  const requested = Promise.withResolvers<void>();
  const silent = createServer(() => requested.resolve());
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/a.git`;
  const controller = new AbortController();
  const fetched = fetchUntrusted(
    git,
    repository,
    { url, headers: [] },
    ['+refs/heads/*:refs/heads/*'],
    controller.signal,
  );
  await requested.promise;
  controller.abort();
  await assert.rejects(fetched, (error: GitError) => error.failure.kind === 'stopped');
});

const BRANCHES = ['+refs/heads/*:refs/heads/*'];

test('does not fetch from a dumb HTTP server, which would bypass the object checks', async (t) => {
  const { git, repository } = await gitWithRepository(t);
  const requested: unknown[] = [];
  const files = createServer((request, response) => {
    requested.push(request.url);
    response.end(`${'a'.repeat(40)}\trefs/heads/main\n`);
  });
  files.listen(0, '127.0.0.1');
  await once(files, 'listening');
  t.after(() => void files.close());
  const remote = { url: `http://127.0.0.1:${(files.address() as AddressInfo).port}/a.git`, headers: [] };
  await assert.rejects(fetchUntrusted(git, repository, remote, BRANCHES, new AbortController().signal), GitError);
  assert.deepEqual(
    requested.filter((url) => String(url).includes('/objects/')),
    [],
  );
});

test('an external server without the refs yields nothing', async (t) => {
  const source = await gitWithRepository(t);
  const here = await gitWithRepository(t);
  const { url } = await serve(t, source.git, source.repository);
  const fetched = async () => {
    await fetchUntrusted(here.git, here.repository, { url, headers: [] }, BRANCHES, new AbortController().signal);
    return listRefs(here.git, here.repository, 'refs/');
  };
  assert.deepEqual(await fetched(), []);
  const copy = await workingCopy(t);
  await copy.commit('First');
  await copy.git('push', url, 'main:refs/tags/v1');
  assert.deepEqual(await fetched(), []);
});

test('a cancelled fetch stops, also during the ref request', async (t) => {
  const source = await gitWithRepository(t);
  const here = await gitWithRepository(t);
  const { url } = await serve(t, source.git, source.repository);
  const controller = new AbortController();
  let begun = 0;
  const between = createServer(async (request, response) => {
    // The fetch starts with this request; the next one gets no response.
    if (request.method === 'GET' && ++begun === 2) return controller.abort();
    const body = request.method === 'GET' ? undefined : Buffer.concat(await request.toArray());
    const { 'content-type': type = '', 'git-protocol': protocol = '' } = request.headers;
    const headers = { 'content-type': type, 'git-protocol': String(protocol) };
    const upstream = await fetch(new URL(request.url!.slice('/a.git'.length + 1), `${url}/`), {
      method: request.method!,
      headers,
      ...(body && { body }),
    });
    response.writeHead(upstream.status, { 'content-type': upstream.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await upstream.arrayBuffer()));
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  t.after(() => between.close().closeAllConnections());
  const remote = { url: `http://127.0.0.1:${(between.address() as AddressInfo).port}/a.git`, headers: [] };
  await assert.rejects(fetchUntrusted(here.git, here.repository, remote, BRANCHES, controller.signal), GitError);
  assert.equal(begun, 2);
});

test('fsck detects the incomplete history of a shallow external server', async (t) => {
  const source = await gitWithRepository(t);
  const here = await gitWithRepository(t);
  const { url } = await serve(t, source.git, source.repository);
  const copy = await workingCopy(t);
  await copy.commit('First');
  const second = await copy.commit('Second');
  await copy.git('push', url, 'main:main');
  const fetched = async () => {
    await fetchUntrusted(here.git, here.repository, { url, headers: [] }, BRANCHES, new AbortController().signal);
    return (await fsck(here.git, here.repository, 'connected')).ok;
  };
  await writeFile(join(source.repository.directory, 'shallow'), `${second}\n`);
  assert.equal(await fetched(), false);
  await rm(join(source.repository.directory, 'shallow'));
  assert.equal(await fetched(), true);
});
