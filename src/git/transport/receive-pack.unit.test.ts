import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { isAncestor } from '../commits/ancestry.ts';
import { readObject } from '../objects/object-reader.ts';
import { runGit } from '../process/spawn.ts';
import { resolveRef, ZERO_ID } from '../refs/refs.ts';
import type { RefChange } from '../refs/update-refs.ts';
import { getInternalDirectory } from '../storage/storage.ts';
import {
  createGitWithoutRepository,
  createGitWithRepository,
  createWorkingCopy,
  serveRepository,
} from './client.testing.ts';
import { getHooksDirectory, InvalidHookMessage, parseHookMessage } from './hooks.ts';
import { type PushRequest, type ReceiveVerdict, receivePack } from './receive-pack.ts';

describe('a push', () => {
  test('creates the first branch of a repository that did not exist', async (t) => {
    const { git, repository } = await createGitWithoutRepository(t);
    const { url } = await serveRepository(t, git, repository);
    const copy = await createWorkingCopy(t);
    const id = await copy.commit('First', { 'a.txt': 'a\n' });
    await copy.git('push', url, 'main');
    assert.equal(await resolveRef(repository, 'refs/heads/main'), id);
  });

  test('calls "check" with all changes before refs move, and "after" afterwards', async (t) => {
    const { git, repository } = await createGitWithRepository(t);
    const calls: {
      push?: PushRequest;
      before?: string | null;
      moved?: readonly RefChange[];
      afterwards?: string | null;
    } = {};
    const { url } = await serveRepository(t, git, repository, {
      check: async (push) => {
        calls.push = push;
        calls.before = await resolveRef(repository, 'refs/heads/main');
        return 'accept';
      },
      afterMove: async (moved) => {
        calls.moved = moved;
        calls.afterwards = await resolveRef(repository, 'refs/heads/main');
        return ['Line one', 'Line \x1b[31mtwo'];
      },
    });
    const copy = await createWorkingCopy(t);
    const id = await copy.commit('First');
    await copy.git('tag', 'v1');
    const { stderr } = await copy.tryGit('push', '-o', 'ci.skip', '-o', 'a=b c', url, 'main', 'v1');
    assert.match(stderr, /^remote: Line one *\nremote: Line \[31mtwo *$/m);
    const changes = [
      { ref: 'refs/heads/main', oldId: ZERO_ID, newId: id },
      { ref: 'refs/tags/v1', oldId: ZERO_ID, newId: id },
    ];
    assert.deepEqual(calls.push?.changes, changes);
    assert.deepEqual(calls.push?.pushOptions, ['ci.skip', 'a=b c']);
    assert.equal(calls.before, null);
    assert.deepEqual(calls.moved, changes);
    assert.equal(calls.afterwards, id);
  });

  test('a rejected push moves nothing and prints every line of the reason', async (t) => {
    const { git, repository } = await createGitWithRepository(t);
    const { url, received } = await serveRepository(t, git, repository, {
      check: async () => ({ refuse: 'You may not.\nReally.' }),
      afterMove: () => assert.fail('nothing moved'),
    });
    const copy = await createWorkingCopy(t);
    const id = await copy.commit('First');
    const ran = await copy.tryGit('push', url, 'main', 'main:other');
    assert.equal(ran.code, 1);
    assert.match(ran.stderr, /remote: GitLab: You may not\.\s*\nremote: GitLab: Really\./);
    assert.equal(ran.stderr.match(/pre-receive hook declined/g)?.length, 2);
    assert.equal(await resolveRef(repository, 'refs/heads/main'), null);
    assert.equal(await readObject(git, repository, id), null, 'its objects are gone with the quarantine');
    assert.deepEqual(received[0]?.verdict, { refuse: 'You may not.\nReally.' });
  });

  test('a push whose check throws moves nothing', async (t) => {
    const { git, repository } = await createGitWithRepository(t);
    const { url } = await serveRepository(t, git, repository, {
      check: () => Promise.reject(new Error('the database is away')),
    });
    const copy = await createWorkingCopy(t);
    await copy.commit('First');
    assert.notEqual((await copy.tryGit('push', url, 'main')).code, 0);
    assert.equal(await resolveRef(repository, 'refs/heads/main'), null);
  });

  test('makes new objects visible only to "check"', async (t) => {
    const { git, repository } = await createGitWithRepository(t);
    const verdicts: boolean[] = [];
    const check = async ({ changes, quarantine }: PushRequest): Promise<ReceiveVerdict> => {
      const { oldId, newId } = changes[0]!;
      const invocation = { flags: ['-e'], args: [newId] };
      verdicts.push((await runGit(git, repository, 'cat-file', invocation, { env: quarantine })).ok);
      verdicts.push((await runGit(git, repository, 'cat-file', invocation)).ok);
      if (oldId !== ZERO_ID) verdicts.push(await isAncestor(git, repository, oldId, newId, quarantine));
      return 'accept';
    };
    const { url } = await serveRepository(t, git, repository, { check });
    const copy = await createWorkingCopy(t);
    await copy.commit('First');
    await copy.git('push', url, 'main');
    await copy.commit('Second');
    await copy.git('push', url, 'main');
    await copy.git('commit', '-q', '--amend', '--allow-empty', '-m', 'Other');
    await copy.git('push', '--force', url, 'main');
    assert.deepEqual(verdicts, [true, false, true, false, true, true, false, false]);
  });

  test('reports only the refs that git itself has moved', async (t) => {
    const { git, repository } = await createGitWithRepository(t);
    const moved: (readonly RefChange[])[] = [];
    const copy = await createWorkingCopy(t);
    const first = await copy.commit('First');
    let somebodyIsFaster = false;
    const { url } = await serveRepository(t, git, repository, {
      check: async () => {
        if (somebodyIsFaster) await runGit(git, repository, 'update-ref', { flags: ['-d'], args: ['refs/heads/main'] });
        return 'accept';
      },
      afterMove: async (refs) => {
        moved.push(refs);
        return [];
      },
    });
    await copy.git('push', url, 'main', 'main:other');
    const second = await copy.commit('Second');
    somebodyIsFaster = true;
    const ran = await copy.tryGit('push', url, 'main', 'main:other');
    assert.match(ran.stderr, /! \[remote rejected\] main -> main/);
    assert.deepEqual(moved[1], [{ ref: 'refs/heads/other', oldId: first, newId: second }]);
    assert.equal(await resolveRef(repository, 'refs/heads/main'), null);
    assert.equal(await resolveRef(repository, 'refs/heads/other'), second);
  });

  test('a push that moves nothing still calls "after"', async (t) => {
    const { git, repository } = await createGitWithRepository(t);
    const moved: (readonly RefChange[])[] = [];
    const copy = await createWorkingCopy(t);
    const first = await copy.commit('First');
    const { url } = await serveRepository(t, git, repository, {
      check: async ({ changes, quarantine }) => {
        const target = changes[0]!.newId;
        if (target !== first) {
          await runGit(git, repository, 'update-ref', { flags: ['-d'], args: ['refs/heads/main'] });
          assert.notDeepEqual(quarantine, {});
        }
        return 'accept';
      },
      afterMove: async (refs) => {
        moved.push(refs);
        return [];
      },
    });
    await copy.git('push', url, 'main');
    await copy.commit('Second');
    assert.notEqual((await copy.tryGit('push', url, 'main')).code, 0);
    assert.deepEqual(moved[1], []);
  });

  test('completes the push of the client only after "after" returns', async (t) => {
    const { git, repository } = await createGitWithRepository(t);
    let done = false;
    const { url } = await serveRepository(t, git, repository, {
      afterMove: async () => {
        for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        done = true;
        return [];
      },
    });
    const copy = await createWorkingCopy(t);
    await copy.commit('First');
    await copy.git('push', url, 'main');
    assert.ok(done);
  });

  test('rejects changes of refs that only the server makes', async (t) => {
    const { git, repository } = await createGitWithRepository(t);
    const { url } = await serveRepository(t, git, repository);
    const copy = await createWorkingCopy(t);
    await copy.commit('First');
    for (const ref of ['refs/keep-around/x', 'refs/pipelines/1', 'refs/merge-requests/1/head', 'refs/environments/e']) {
      const ran = await copy.tryGit('push', url, `main:${ref}`);
      assert.notEqual(ran.code, 0, ref);
      assert.equal(await resolveRef(repository, ref), null);
    }
  });

  test('deletes the branch of HEAD if "check" accepts it', async (t) => {
    const { git, repository } = await createGitWithRepository(t);
    const { url } = await serveRepository(t, git, repository);
    const copy = await createWorkingCopy(t);
    await copy.commit('First');
    await copy.git('push', url, 'main');
    await copy.git('push', url, ':main');
    assert.equal(await resolveRef(repository, 'refs/heads/main'), null);
  });

  test('restores removed hooks', async (t) => {
    const { git, repository } = await createGitWithRepository(t);
    const { url, received } = await serveRepository(t, git, repository);
    const copy = await createWorkingCopy(t);
    await copy.commit('First');
    await copy.git('push', url, 'main');
    await rm(join(getHooksDirectory(getInternalDirectory(git)), 'pre-receive'));
    await copy.git('push', url, 'main:other');
    assert.equal(received[1]?.verdict, 'accept');
  });

  test('accepts hundreds of refs in one push', async (t) => {
    const { git, repository } = await createGitWithRepository(t);
    const { url, received } = await serveRepository(t, git, repository);
    const copy = await createWorkingCopy(t);
    await copy.commit('First');
    await copy.git('push', url, ...Array.from({ length: 500 }, (_, at) => `main:refs/heads/branch-number-${at}`));
    assert.equal(received[0]?.changes.length, 500);
    assert.equal(received[0]?.movedRefs.length, 500);
  });

  test('a push aborted within its pack moves nothing and does not call "check"', async (t) => {
    const { git, repository } = await createGitWithRepository(t);
    const copy = await createWorkingCopy(t);
    const id = await copy.commit('First');
    const command = `${ZERO_ID} ${id} refs/heads/main\0report-status`;
    const length = (command.length + 4).toString(16).padStart(4, '0');
    const input = new PassThrough();
    const output = new PassThrough();
    output.resume();
    const ends = receivePack(git, repository, {
      input,
      output,
      check: () => assert.fail('the push is not complete'),
      afterMove: () => assert.fail('nothing moved'),
    });
    input.write(`${length}${command}0000PACK`);
    input.destroy();
    assert.equal((await ends).verdict, null);
    assert.equal(await resolveRef(repository, 'refs/heads/main'), null);
  });

  /** An empty packet of the side band. */
  const KEEP_ALIVE = '0005\x01';

  test('a client of a side band gets packets while git is silent, other clients get none', async (t) => {
    const { git, repository } = await createGitWithRepository(t);
    const copy = await createWorkingCopy(t);
    const id = await copy.commit('First');
    await copy.git('push', (await serveRepository(t, git, repository)).url, 'main:a', 'main:b');
    const push = async (ref: string, capabilities: string, waitForPackets: boolean) => {
      const command = `${id} ${ZERO_ID} ${ref}\0${capabilities}`;
      const length = (command.length + 4).toString(16).padStart(4, '0');
      const output = new PassThrough();
      const chunks: string[] = [];
      const { promise, resolve } = Promise.withResolvers<void>();
      output.on('data', (chunk: Buffer) => {
        chunks.push(chunk.toString('latin1'));
        if (chunks.filter((sent) => sent === KEEP_ALIVE).length > 2) resolve();
      });
      await receivePack(git, repository, {
        input: Readable.from([Buffer.from(`${length}${command}0000`)], { objectMode: false }),
        output,
        keepAliveMs: 1,
        check: async () => 'accept',
        afterMove: async () => {
          if (waitForPackets) await promise;
          return [];
        },
      });
      return chunks.join('');
    };
    const withBand = await push('refs/heads/a', 'report-status delete-refs side-band-64k', true);
    // git may send its report before or after them.
    assert.match(withBand.replaceAll(KEEP_ALIVE, ''), /^[0-9a-f]{4}\x01.*unpack ok\n.*0000$/s);
    const withoutBand = await push('refs/heads/b', 'report-status delete-refs', false);
    assert.match(withoutBand, /^[0-9a-f]{4}unpack ok\n[0-9a-f]{4}ok refs\/heads\/b\n0000$/);
  });

  test('line feeds in a name cannot hide a ref', async (t) => {
    const { git, repository } = await createGitWithRepository(t);
    const copy = await createWorkingCopy(t);
    const id = await copy.commit('First');
    await copy.git('push', (await serveRepository(t, git, repository)).url, 'main');
    const line = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text;
    for (const name of ['refs/heads/a\n\n', `refs/heads/a\n${id} ${ZERO_ID} refs/heads/b\n\npost-receive`]) {
      const commands = [
        line(`${id} ${ZERO_ID} ${name}\0report-status delete-refs`),
        line(`${id} ${ZERO_ID} refs/heads/main`),
      ];
      const output = new PassThrough();
      output.resume();
      const { verdict } = await receivePack(git, repository, {
        input: Readable.from([Buffer.from(`${commands.join('')}0000`)], { objectMode: false }),
        output,
        check: () => assert.fail('it is refused before'),
        afterMove: () => assert.fail('nothing moved'),
      });
      assert.deepEqual(verdict, { refuse: 'A ref name is invalid' });
      assert.equal(await resolveRef(repository, 'refs/heads/main'), id);
    }
  });

  test('completes when the client disconnects after "check"', async (t) => {
    const { git, repository } = await createGitWithRepository(t);
    const copy = await createWorkingCopy(t);
    const id = await copy.commit('First');
    await copy.git('push', (await serveRepository(t, git, repository)).url, 'main');
    const command = `${id} ${ZERO_ID} refs/heads/main\0report-status delete-refs`;
    const length = (command.length + 4).toString(16).padStart(4, '0');
    const output = new PassThrough();
    const { movedRefs: moved } = await receivePack(git, repository, {
      input: Readable.from([Buffer.from(`${length}${command}0000`)], { objectMode: false }),
      output,
      check: async () => {
        output.destroy();
        return 'accept';
      },
      afterMove: async () => [],
    });
    assert.deepEqual(moved, [{ ref: 'refs/heads/main', oldId: id, newId: ZERO_ID }]);
    assert.equal(await resolveRef(repository, 'refs/heads/main'), null);
  });
});

describe('a message of a hook', () => {
  const head = 'pre-receive\nGIT_OBJECT_DIRECTORY=/q\n\n';
  const line = `${ZERO_ID} ${'1'.repeat(40)} refs/heads/main\n`;

  test('parses the environment and changes of a hook', () => {
    const message = parseHookMessage(Buffer.from(`${head}${line}`));
    assert.equal(message.environment.GIT_OBJECT_DIRECTORY, '/q');
    assert.deepEqual(message.changes, [{ ref: 'refs/heads/main', oldId: ZERO_ID, newId: '1'.repeat(40) }]);
  });

  for (const [what, text] of [
    ['a ref name that holds an empty line', `${line.trimEnd()}\n\n${line}`],
    ['a ref name with a blank', line.replace('main', 'ma in')],
    ['a line that is no change', `hello\n${line}`],
  ] as const) {
    test(`rejects hook input for ${what}`, () => {
      assert.throws(() => parseHookMessage(Buffer.from(head + text)), InvalidHookMessage);
    });
  }

  test('rejects hook input for a name that is not UTF-8', () => {
    assert.throws(
      () =>
        parseHookMessage(Buffer.concat([Buffer.from(head), Buffer.from(line.trimEnd()), Buffer.from([0xff, 0x0a])])),
      InvalidHookMessage,
    );
  });
});
