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

test('all refs come, whatever they are called, and go when they are gone', async (t) => {
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

test('HEAD is the branch that the other one names, and nothing while that is not there', async (t) => {
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
  const seen: unknown[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers['x-note']);
    response.writeHead(status, headers).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.git`, seen };
}

test('headers go to the server that is meant, and to none that it names', async (t) => {
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

test('of a foreign server come the refs that are named, from the address that was looked at', async (t) => {
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
  const gone = { ...remote, resolve: [] };
  await assert.rejects(
    fetchUntrusted(here.git, here.repository, gone, ['+refs/heads/*:refs/heads/*'], signal),
    GitError,
  );
});

test('a fetch from a foreign server ends when it is not wanted any more', async (t) => {
  const { git, repository } = await gitWithRepository(t);
  const asked = Promise.withResolvers<void>();
  const silent = createServer(() => asked.resolve());
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
  await asked.promise;
  controller.abort();
  await assert.rejects(fetched, (error: GitError) => error.failure.kind === 'stopped');
});

const BRANCHES = ['+refs/heads/*:refs/heads/*'];

test('a foreign server that hands out files is not fetched from: nobody would look at its objects', async (t) => {
  const { git, repository } = await gitWithRepository(t);
  const asked: unknown[] = [];
  const files = createServer((request, response) => {
    asked.push(request.url);
    response.end(`${'a'.repeat(40)}\trefs/heads/main\n`);
  });
  files.listen(0, '127.0.0.1');
  await once(files, 'listening');
  t.after(() => void files.close());
  const remote = { url: `http://127.0.0.1:${(files.address() as AddressInfo).port}/a.git`, headers: [] };
  await assert.rejects(fetchUntrusted(git, repository, remote, BRANCHES, new AbortController().signal), GitError);
  assert.deepEqual(
    asked.filter((url) => String(url).includes('/objects/')),
    [],
  );
});

test('a foreign server that has none of the refs has nothing to fetch', async (t) => {
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

test('a fetch ends when nobody wants it any more, also while the server is asked whether it has any refs', async (t) => {
  const source = await gitWithRepository(t);
  const here = await gitWithRepository(t);
  const { url } = await serve(t, source.git, source.repository);
  const wanted = new AbortController();
  let begun = 0;
  const between = createServer(async (request, response) => {
    // The fetch starts with this request; the next one gets no response.
    if (request.method === 'GET' && ++begun === 2) return wanted.abort();
    const body = request.method === 'GET' ? undefined : Buffer.concat(await request.toArray());
    const { 'content-type': type = '', 'git-protocol': protocol = '' } = request.headers;
    const headers = { 'content-type': type, 'git-protocol': String(protocol) };
    const given = await fetch(new URL(request.url!.slice('/a.git'.length + 1), `${url}/`), {
      method: request.method!,
      headers,
      ...(body && { body }),
    });
    response.writeHead(given.status, { 'content-type': given.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await given.arrayBuffer()));
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  t.after(() => between.close().closeAllConnections());
  const remote = { url: `http://127.0.0.1:${(between.address() as AddressInfo).port}/a.git`, headers: [] };
  await assert.rejects(fetchUntrusted(here.git, here.repository, remote, BRANCHES, wanted.signal), GitError);
  assert.equal(begun, 2);
});

test('a history that a foreign server has cut off is not whole', async (t) => {
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
