import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import type { Git } from '../git.ts';
import { runGit } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import { repositoryExists } from '../storage/storage.ts';
import {
  createGitWithoutRepository,
  createGitWithRepository,
  createWorkingCopy,
  serveRepository,
} from './client.testing.ts';
import { type GitService, sendRefAdvertisement, toProtocolEnvironment } from './upload-pack.ts';

interface Asked {
  protocol?: string;
  defaultBranch?: string;
}

async function advertised(git: Git, repository: Repository, service: GitService, asked: Asked = {}): Promise<string> {
  const output = new PassThrough();
  const chunks = output.toArray();
  await sendRefAdvertisement(git, repository, service, { output, ...asked });
  return Buffer.concat(await chunks).toString('latin1');
}

describe('a fetch', () => {
  for (const version of ['0', '1', '2']) {
    test(`clones what was pushed, with protocol version ${version}`, async (t) => {
      const { git, repository } = await createGitWithRepository(t);
      const { url } = await serveRepository(t, git, repository);
      const copy = await createWorkingCopy(t);
      const id = await copy.commit('First', { 'a.txt': 'a\n' });
      await copy.git('push', url, 'main');
      const other = await createWorkingCopy(t);
      await other.git('-c', `protocol.version=${version}`, 'clone', '-q', url, 'clone');
      assert.equal(await other.git('-C', 'clone', 'rev-parse', 'HEAD'), id);
    });

    test(`clones a repository that does not exist yet as an empty one, with protocol version ${version}`, async (t) => {
      const { git, repository } = await createGitWithoutRepository(t);
      const { url } = await serveRepository(t, git, repository);
      const copy = await createWorkingCopy(t);
      await copy.git('-c', `protocol.version=${version}`, 'clone', '-q', url, 'clone');
      assert.equal(await copy.git('-C', 'clone', 'for-each-ref'), '');
      assert.equal(await repositoryExists(repository), false);
    });
  }

  test('sees merge request and pipeline refs, but no internal refs', async (t) => {
    const { git, repository } = await createGitWithRepository(t);
    const { url } = await serveRepository(t, git, repository);
    const copy = await createWorkingCopy(t);
    const id = await copy.commit('First');
    await copy.git('push', url, 'main');
    const own = ['refs/keep-around/1', 'refs/environments/production/deployments/1'];
    const shown = ['refs/merge-requests/1/head', 'refs/pipelines/7'];
    for (const ref of [...own, ...shown]) await runGit(git, repository, 'update-ref', { args: [ref, id] });
    for (const version of ['0', '2']) {
      const listed = await copy.git('-c', `protocol.version=${version}`, 'ls-remote', url);
      const refs = listed.split('\n').map((line) => line.split('\t')[1]);
      assert.deepEqual(refs, ['HEAD', 'refs/heads/main', ...shown]);
    }
  });

  test('supports partial clones, and fetches of a commit by id', async (t) => {
    const { git, repository } = await createGitWithRepository(t);
    const { url } = await serveRepository(t, git, repository);
    const copy = await createWorkingCopy(t);
    const first = await copy.commit('First', { 'a.txt': 'a\n' });
    await copy.commit('Second', { 'a.txt': 'b\n' });
    await copy.git('push', url, 'main');
    const other = await createWorkingCopy(t);
    await other.git('clone', '-q', '--filter=blob:none', url, 'partial');
    assert.equal(await other.git('-C', 'partial', 'show', 'HEAD~1:a.txt'), 'a');
    for (const version of ['0', '2']) {
      await other.git('-c', `protocol.version=${version}`, 'fetch', '-q', '--depth=1', url, first);
      assert.equal(await other.git('rev-parse', 'FETCH_HEAD'), first);
    }
  });

  test('stops git when the client disconnects', async (t) => {
    const { git, repository } = await createGitWithRepository(t);
    const output = new PassThrough();
    output.destroy();
    const { failure } = await sendRefAdvertisement(git, repository, 'git-upload-pack', { output });
    assert.deepEqual(failure, { kind: 'stopped' });
    assert.equal(git.processes.children.size, 0);
  });
});

describe('an advertisement', () => {
  test('sends the service name first, except with version 2', async (t) => {
    const { git, repository } = await createGitWithRepository(t);
    const fetch = '001e# service=git-upload-pack\n0000';
    assert.ok((await advertised(git, repository, 'git-upload-pack')).startsWith(fetch));
    const first = await advertised(git, repository, 'git-upload-pack', { protocol: 'version=1' });
    assert.ok(first.startsWith(`${fetch}000eversion 1\n`));
    const second = await advertised(git, repository, 'git-upload-pack', { protocol: 'version=2' });
    assert.ok(second.startsWith('000eversion 2\n'));
    const push = await advertised(git, repository, 'git-receive-pack', { protocol: 'version=2' });
    assert.ok(push.startsWith('001f# service=git-receive-pack\n0000'));
  });

  test('ignores unknown versions in the header', () => {
    assert.deepEqual(toProtocolEnvironment('version=2'), { GIT_PROTOCOL: 'version=2' });
    assert.deepEqual(toProtocolEnvironment('x=y:version=1'), { GIT_PROTOCOL: 'version=1' });
    assert.deepEqual(toProtocolEnvironment('version=9'), {});
    assert.deepEqual(toProtocolEnvironment(undefined), {});
  });
});
