import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identify } from '#authentication/credentials.ts';
import { findSnippet, type Snippet } from '#domain/snippets.ts';
import { commitChanges } from '#git/commits/commit.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import { beginSnippetMove } from '#repositories/ref-updates/move-refs.ts';
import { recoverInterruptedRefUpdates } from '#repositories/ref-updates/recovery.ts';
import { getRepository } from '#repositories/repository.ts';
import { isFailure } from '#runtime/failure.ts';
import { world } from '#test/support/world.ts';

const { user, server } = await world();
const { services } = server;

/** Stores the intent of an update and, with `moved`, moves the branch, as a process does that dies then. */
async function beginUpdate(moved: boolean) {
  const author = await user();
  const { id } = (await author.post('/snippets', { title: 'Before', content: 'a', file_name: 'a' })).body;
  const snippet = (await findSnippet(services.database.reader, id)) as Snippet;
  const request = { clientAddress: '127.0.0.1' } as never;
  const { caller } = await identify(services, { scheme: 'bearer', secret: author.token as string }, request);
  const repository = getRepository(services.git, snippet);
  const parent = (await findBranchHead(repository, 'main')) as string;
  const signer = { name: 'a', email: 'a@hearth.test' };
  const changes = [{ action: 'create' as const, path: 'b', content: Buffer.from('b') }];
  const commit = await commitChanges(services.git, repository, {
    parent,
    changes,
    author: signer,
    committer: signer,
    message: 'm',
  });
  assert.ok('ok' in commit);
  const refs = [{ ref: 'refs/heads/main', oldId: parent, newId: commit.commit }];
  const patch = { title: 'After' };
  const intent = await beginSnippetMove(services, { snippet, caller: caller as never, changes: refs, patch });
  assert.equal(isFailure(intent), false);
  if (moved) await updateRefs(services.git, repository, refs);
  return async () => (await author.get(`/snippets/${id}`)).body;
}

test('completes the update of a dead process: the files and the fields together', async () => {
  const [readMoved, readUnmoved] = [await beginUpdate(true), await beginUpdate(false)];
  await recoverInterruptedRefUpdates(services, true);
  const [moved, unmoved] = [await readMoved(), await readUnmoved()];
  assert.deepEqual([moved.title, moved.files.length], ['After', 2]);
  assert.deepEqual([unmoved.title, unmoved.files.length], ['Before', 1]);
  assert.deepEqual(await services.database.reader.selectFrom('ref_intents').select('id').execute(), []);
});
