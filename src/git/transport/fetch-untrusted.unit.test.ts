import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { GitError } from '../process/failures.ts';
import { runGit } from '../process/spawn.ts';
import { listRefs } from '../refs/refs.ts';
import { fsck } from '../storage/maintenance.ts';
import {
  createGitWithoutRepository,
  createGitWithRepository,
  createWorkingCopy,
  serveRepository,
} from './client.testing.ts';
import {
  FetchPreempted,
  fetchUntrusted,
  UNTRUSTED_LIMITS,
  type UntrustedLimits,
  type UntrustedRemote,
} from './fetch-untrusted.ts';

const ID = 'a'.repeat(40);
const packet = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const START = `${packet('# service=git-upload-pack\n')}0000`;
const FIRST = packet(`${ID} refs/heads/main\0side-band-64k ofs-delta\n`);

async function* streamed(first: string, ...rest: readonly string[]) {
  yield Buffer.from(first);
  for (const text of rest) yield Buffer.from(text);
}

/** Sends a text, then nothing, and never ends. */
function silentAfter(text: string | Buffer): Readable {
  const stream = new PassThrough();
  stream.write(text);
  return stream;
}

/** Returns a remote with fixed responses. */
const respondWith = (refs: Readable, pack: Readable = Readable.from([])): UntrustedRemote => ({
  advertise: async () => refs,
  uploadPack: async () => pack,
});

/** A remote that serves a repository over HTTP. */
function remoteAt(url: string): UntrustedRemote & { readonly requests: string[] } {
  const requests: string[] = [];
  const body = async (response: Response) => Readable.from(Buffer.from(await response.arrayBuffer()));
  return {
    requests,
    advertise: async () => body(await fetch(`${url}/info/refs?service=git-upload-pack`)),
    async uploadPack(request) {
      requests.push(request.toString());
      const headers = { 'content-type': 'application/x-git-upload-pack-request' };
      return body(await fetch(`${url}/git-upload-pack`, { method: 'POST', headers, body: request }));
    },
  };
}

async function destination(t: TestContext) {
  const here = await createGitWithoutRepository(t);
  const fetched = (
    remote: UntrustedRemote,
    limits: Partial<UntrustedLimits> = {},
    { signal = new AbortController().signal, isContended = (): boolean => false } = {},
  ) =>
    fetchUntrusted(here.git, remote, async () => ({ repository: here.repository, defaultBranch: 'main' }), {
      limits: { ...UNTRUSTED_LIMITS, ...limits },
      isContended,
      signal,
    });
  const refs = async () => (await listRefs(here.git, here.repository, 'refs/')).map(({ name }) => name);
  /** Lists the entries of the storage. */
  const files = () => readdir(dirname(here.repository.directory));
  return { ...here, fetched, refs, files };
}

const failsAs = (kind: string) => (error: unknown) => error instanceof GitError && error.failure.kind === kind;

test('fetches all refs that are not internal to the source, with their history only', async (t) => {
  const source = await createGitWithRepository(t);
  const here = await destination(t);
  const { url } = await serveRepository(t, source.git, source.repository);
  const copy = await createWorkingCopy(t);
  await copy.commit('First', { 'a.txt': 'a\n' });
  const id = await copy.commit('Second', { 'a.txt': 'b\n' });
  await copy.git('push', url, 'main:main', 'main:topic/a', 'main:refs/tags/v1');
  for (const ref of ['refs/notes/commits', 'refs/deploys/a', 'refs/merge-requests/1/head', 'refs/pipelines/1']) {
    await runGit(source.git, source.repository, 'update-ref', { args: [ref, id] });
  }
  assert.deepEqual(await here.fetched(remoteAt(url)), []);
  const expected = [
    'refs/deploys/a',
    'refs/heads/main',
    'refs/heads/topic/a',
    'refs/merge-requests/1/head',
    'refs/notes/commits',
    'refs/tags/v1',
  ];
  assert.deepEqual(await here.refs(), expected);
  assert.equal((await fsck(here.git, here.repository, 'connectivity')).ok, true);
  assert.deepEqual(await here.files(), ['project.git']);
});

test('an empty source gives an empty repository without a request for a pack', async (t) => {
  const source = await createGitWithRepository(t);
  const here = await destination(t);
  const { url } = await serveRepository(t, source.git, source.repository);
  const remote = remoteAt(url);
  await here.fetched(remote);
  assert.deepEqual([await here.refs(), remote.requests, await here.files()], [[], [], ['project.git']]);
});

test('omits and returns refs that would be rejected in a push', async (t) => {
  const source = await createGitWithRepository(t);
  const here = await destination(t);
  const { url } = await serveRepository(t, source.git, source.repository);
  const copy = await createWorkingCopy(t);
  const id = await copy.commit('First', { 'a.txt': 'a\n' });
  await copy.git('push', url, 'main:main');
  const odd = ['heads/HEAD', 'heads/-x', `heads/${ID}`, `tags/${ID}`, 'tags/-v'].map((name) => `refs/${name}`);
  for (const ref of odd) await runGit(source.git, source.repository, 'update-ref', { args: [ref, id] });
  assert.deepEqual((await here.fetched(remoteAt(url))).toSorted(), odd.toSorted());
  assert.deepEqual(await here.refs(), ['refs/heads/main']);
});

test('omits the longer of two conflicting refs, and branches that do not point to commits', async (t) => {
  const source = await createGitWithRepository(t);
  const here = await destination(t);
  const { url } = await serveRepository(t, source.git, source.repository);
  const copy = await createWorkingCopy(t);
  const id = await copy.commit('First', { 'a.txt': 'a\n' });
  const blob = await copy.git('rev-parse', 'HEAD:a.txt');
  await copy.git('push', url, 'main:a', 'main:a-b');
  const remote = remoteAt(url);
  const lines = ['heads/a-b', 'heads/a/b', 'heads/a'].map((name) => packet(`${id} refs/${name}\n`));
  const first = packet(`${blob} refs/heads/blob\0side-band-64k ofs-delta\n`);
  const advertise = async () => Readable.from(streamed(START, first, ...lines, '0000'));
  const omitted = await here.fetched({
    advertise,
    uploadPack: async () =>
      remote.uploadPack(Buffer.from(`${packet(`want ${id} side-band-64k ofs-delta\n`)}0000${packet('done\n')}`), 0),
  });
  assert.deepEqual(omitted.toSorted(), ['refs/heads/a/b', 'refs/heads/blob']);
  assert.deepEqual(await here.refs(), ['refs/heads/a', 'refs/heads/a-b']);
});

test('rejects a list of refs above the limit and creates no repository', async (t) => {
  const here = await destination(t);
  async function* endless() {
    yield Buffer.from(START + FIRST);
    for (let index = 0; ; index++) yield Buffer.from(packet(`${ID} refs/heads/b${index}\n`));
  }
  await assert.rejects(here.fetched(respondWith(Readable.from(endless())), { maxRefs: 1000 }), failsAs('too-large'));
  assert.deepEqual(await here.files(), []);
});

for (const [title, refs] of [
  ['that is not in the packet format', ['<html>']],
  ['of another service', [`${packet('# service=git-receive-pack\n')}0000`]],
  ['that ends before its end', [START, FIRST]],
  ['that ends within a packet', [START, FIRST.slice(0, -9)]],
  ['of a dumb server', [`${ID}\trefs/heads/main\n`]],
] as const) {
  test(`rejects a list of refs ${title}`, async (t) => {
    const here = await destination(t);
    const [first, ...rest] = refs;
    await assert.rejects(here.fetched(respondWith(Readable.from(streamed(first, ...rest)))), failsAs('failed'));
    assert.deepEqual(await here.files(), []);
  });
}

/** Returns the ref advertisement and the pack of a real server. */
async function recordPack(t: TestContext) {
  const source = await createGitWithRepository(t);
  const { url } = await serveRepository(t, source.git, source.repository);
  const copy = await createWorkingCopy(t);
  await copy.commit('First', { 'a.txt': 'a\n'.repeat(1000) });
  const second = await copy.commit('Second', { 'a.txt': 'b\n'.repeat(1000) });
  await copy.git('push', url, 'main:main');
  const remote = remoteAt(url);
  const pack = async () => {
    const request = `${packet(`want ${second} side-band-64k ofs-delta\n`)}0000${packet('done\n')}`;
    return Buffer.concat(await (await remote.uploadPack(Buffer.from(request), 0)).toArray());
  };
  return { advertise: remote.advertise, pack: await pack() };
}

test('a truncated pack leaves no file and no ref', async (t) => {
  const { advertise, pack } = await recordPack(t);
  const here = await destination(t);
  const cut = { advertise, uploadPack: async () => Readable.from([pack.subarray(0, pack.length - 60)]) };
  await assert.rejects(here.fetched(cut), failsAs('failed'));
  assert.deepEqual(await here.files(), []);
});

test('aborts a pack that arrives too slowly', async (t) => {
  const { advertise, pack } = await recordPack(t);
  const here = await destination(t);
  const slow = { advertise, uploadPack: async () => silentAfter(pack.subarray(0, pack.length - 60)) };
  const limits = { periodMs: 100, minBytesPerPeriod: 1_000_000, preparationPeriods: 2 };
  await assert.rejects(here.fetched(slow, limits), failsAs('timed-out'));
  const silent = { advertise, uploadPack: async () => silentAfter(packet('NAK\n')) };
  await assert.rejects(here.fetched(silent, limits), failsAs('timed-out'));
  assert.deepEqual(await here.files(), []);
});

test('a pack that arrives slowly is preempted if other fetches wait', async (t) => {
  const { advertise, pack } = await recordPack(t);
  const here = await destination(t);
  const limits = { periodMs: 100, minBytesPerPeriod: 0, minBytesPerContendedPeriod: 1_000_000 };
  const slow = { advertise, uploadPack: async () => silentAfter(pack.subarray(0, pack.length - 60)) };
  await assert.rejects(here.fetched(slow, limits, { isContended: () => true }), FetchPreempted);
  assert.deepEqual(await here.files(), []);
});

for (const [title, text] of [
  ['progress messages', `\x02${'.'.repeat(60_000)}`],
  ['empty packets', '\x01'],
] as const) {
  test(`rejects a pack among endless ${title}`, async (t) => {
    const { advertise } = await recordPack(t);
    const here = await destination(t);
    const flood = Buffer.from(packet(text).repeat(Math.ceil(65_536 / text.length)));
    async function* endless() {
      yield Buffer.from(packet('NAK\n'));
      for (;;) yield flood;
    }
    const flooding = { advertise, uploadPack: async () => Readable.from(endless()) };
    await assert.rejects(here.fetched(flooding), failsAs('failed'));
    assert.deepEqual(await here.files(), []);
  });
}

test('rejects a pack that lacks a requested object', async (t) => {
  const { pack } = await recordPack(t);
  const here = await destination(t);
  const refs = Readable.from(streamed(START, FIRST, '0000'));
  await assert.rejects(here.fetched(respondWith(refs, Readable.from([pack]))), failsAs('missing-object'));
  assert.deepEqual(await here.files(), []);
});

test('an aborted signal ends the fetch', async (t) => {
  const { advertise } = await recordPack(t);
  const here = await destination(t);
  const controller = new AbortController();
  const uploadPack = async () => {
    const body = silentAfter(packet('NAK\n'));
    controller.signal.addEventListener('abort', () => body.destroy(new Error('aborted')));
    setImmediate(() => controller.abort());
    return body;
  };
  await assert.rejects(here.fetched({ advertise, uploadPack }, {}, { signal: controller.signal }), /aborted/);
  assert.deepEqual(await here.files(), []);
});
