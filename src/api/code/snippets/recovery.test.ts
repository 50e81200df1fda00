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
import { completeSnippetIntent } from '#repositories/snippets/complete-intent.ts';
import { isFailure } from '#runtime/failure.ts';
import { expectSuccess, world } from '#test/support/world.ts';

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
  assert.ok(!isFailure(intent));
  if (moved) await updateRefs(services.git, repository, refs);
  const read = async () => (await author.get(`/snippets/${id}`)).body;
  return { author, id, intent, refs, read };
}

test('completes the update of a dead process: the files and the fields together', async () => {
  const [{ read: readMoved }, { read: readUnmoved }] = [await beginUpdate(true), await beginUpdate(false)];
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  const [moved, unmoved] = [await readMoved(), await readUnmoved()];
  assert.deepEqual([moved.title, moved.files.length], ['After', 2]);
  assert.deepEqual([unmoved.title, unmoved.files.length], ['Before', 1]);
  assert.deepEqual(await services.database.reader.selectFrom('ref_intents').select('id').execute(), []);
});

test('records the files of a concurrent update that is completed first', async () => {
  const { author, id, intent, refs, read } = await beginUpdate(true);
  const files = [{ action: 'create', file_path: 'c', content: 'c' }];
  let isUpdated = false;
  const runUnitOfWork: typeof services.runUnitOfWork = async (...args) => {
    if (!isUpdated) {
      isUpdated = true;
      await expectSuccess(author.put(`/snippets/${id}`, { files }));
    }
    return services.runUnitOfWork(...args);
  };
  assert.ok(intent.snippetId !== undefined);
  await completeSnippetIntent({ ...services, runUnitOfWork }, intent, refs);
  assert.deepEqual((await read()).files.map(({ path }: { path: string }) => path).sort(), ['a', 'b', 'c']);
});

test('stores the size of the snippets of a project with each update', async () => {
  const { project, owner } = await world({ project: {} });
  const input = { title: 'Size', visibility: 'private', files: [{ file_path: 'a', content: 'a' }] };
  const { body } = await expectSuccess(owner.post(`${project.at}/snippets`, input));
  const files = [{ action: 'create', file_path: 'b', content: 'more '.repeat(10_000) }];
  await expectSuccess(owner.put(`${project.at}/snippets/${body.id}`, { files }));
  const { reader } = services.database;
  const stored = await reader
    .selectFrom('repositories')
    .innerJoin('snippets', 'snippets.project_id', 'repositories.project_id')
    .select(['snippets_size', 'snippets.size'])
    .where('snippets.id', '=', body.id)
    .executeTakeFirstOrThrow();
  assert.equal(stored.snippets_size, stored.size);
});
