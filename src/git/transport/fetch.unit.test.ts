import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { GitError } from '../process/failures.ts';
import { runGit } from '../process/spawn.ts';
import { setHead } from '../refs/refs.ts';
import { ensureRepository } from '../storage/storage.ts';
import { computeRepositoryChecksum } from '../transfer/checksum.ts';
import {
  createGitWithoutRepository,
  createGitWithRepository,
  createWorkingCopy,
  serveRepository,
} from './client.testing.ts';
import { fetchAllRefs, findRemoteHead } from './fetch.ts';

test('fetches all refs of any name, and deletes refs deleted on the remote', async (t) => {
  const source = await createGitWithRepository(t);
  const here = await createGitWithRepository(t);
  const { url } = await serveRepository(t, source.git, source.repository);
  const copy = await createWorkingCopy(t);
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
  const source = await createGitWithRepository(t);
  const { url } = await serveRepository(t, source.git, source.repository);
  assert.equal(await findRemoteHead(source.git, { url, headers: [] }), null);
  const copy = await createWorkingCopy(t);
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
  const { git, repository } = await createGitWithoutRepository(t);
  await ensureRepository(repository, { defaultBranch: 'main' });
  const elsewhere = await noting(t, 200, {});
  const redirecting = await noting(t, 302, { Location: `${elsewhere.url}/info/refs?service=git-upload-pack` });
  const remote = { url: redirecting.url, headers: ['X-Note: for you alone'] };
  await assert.rejects(fetchAllRefs(git, repository, remote), GitError);
  await assert.rejects(findRemoteHead(git, remote), GitError);
  assert.deepEqual(redirecting.seen, ['for you alone', 'for you alone']);
  assert.deepEqual(elsewhere.seen, []);
});

test('a fetch whose pack is truncated leaves no temporary file', async (t) => {
  const source = await createGitWithRepository(t);
  const here = await createGitWithRepository(t);
  const { url } = await serveRepository(t, source.git, source.repository);
  const copy = await createWorkingCopy(t);
  // More than one packet of the protocol, and too many objects to be unpacked.
  const files = Array.from({ length: 150 }, (_, index) => [`${index}.txt`, randomBytes(1000).toString('hex')]);
  await copy.commit('First', Object.fromEntries(files));
  await copy.git('push', url, 'main:main');
  let isTruncated = false;
  const between = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const { 'content-type': type = '', 'git-protocol': protocol = '' } = request.headers;
    const upstream = await fetch(`${url}${request.url!.slice('/a.git'.length)}`, {
      method: request.method!,
      headers: { 'content-type': type, 'git-protocol': String(protocol) },
      ...(request.method === 'POST' && { body }),
    });
    const bytes = Buffer.from(await upstream.arrayBuffer());
    const isPack = bytes.includes('PACK');
    isTruncated ||= isPack;
    response.writeHead(upstream.status, { 'content-type': upstream.headers.get('content-type') ?? '' });
    response.end(isPack ? bytes.subarray(0, bytes.length - 60) : bytes);
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  t.after(() => between.close().closeAllConnections());
  const remote = { url: `http://127.0.0.1:${(between.address() as AddressInfo).port}/a.git`, headers: [] };
  await assert.rejects(fetchAllRefs(here.git, here.repository, remote), GitError);
  assert.equal(isTruncated, true);
  assert.deepEqual(await readdir(join(here.repository.directory, 'objects', 'pack')), []);
});
