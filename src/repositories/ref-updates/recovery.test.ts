import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ANONYMOUS } from '#authentication/caller.ts';
import { findProject, type Project as ProjectRow } from '#domain/namespaces/projects.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import { findHeadBranch, resolveRef, setHead, ZERO_ID } from '#git/refs/refs.ts';
import { type RefChange, updateRefs } from '#git/refs/update-refs.ts';
import { isFailure } from '#runtime/failure.ts';
import { type Project, world } from '#test/support/world.ts';
import { getRepository } from '../repository.ts';
import { completeIntent } from './complete-intent.ts';
import type { Intent } from './intents.ts';
import { beginMove } from './move-refs.ts';
import { recoverInterruptedRefUpdates } from './recovery.ts';

// Recovery after a process died between storing an intent and recording its result.

const { server, root, runJobs, clock, newProject } = await world();
const { services } = server;
const { reader } = services.database;

const LEASE_SECONDS = 60;

interface PreparedMove {
  readonly given: Project;
  readonly project: ProjectRow;
  /** Creates a commit on top of `main` that no branch contains. */
  readonly newId: string;
  readonly oldId: string;
}

/** Creates a repository with a commit that no ref reaches. */
async function prepareMove(): Promise<PreparedMove> {
  const given = await newProject();
  const oldId = await given.commit({ 'a.txt': 'one' });
  const newId = await given.commit({ 'a.txt': 'two' }, { branch: 'draft' });
  const project = await findProject(reader, ANONYMOUS, String(given.id));
  assert.ok(project);
  return { given, project, oldId, newId };
}

async function storeIntent({ given, project }: PreparedMove, changes: readonly RefChange[]): Promise<Intent> {
  const intent = await beginMove(services, { project, actor: { server: true, userId: given.owner.id }, changes });
  assert.ok(!isFailure(intent));
  return intent;
}

async function moveRefsNow({ project }: PreparedMove, changes: readonly RefChange[]): Promise<void> {
  assert.deepEqual(await updateRefs(services.git, getRepository(services.git, project), changes), { ok: true });
}

const toMain = ({ oldId, newId }: PreparedMove): RefChange => ({ ref: 'refs/heads/main', oldId, newId });

/** Returns the last pushes of the project, newest first, with old and new ids. */
async function listPushes({ given }: PreparedMove, count: number) {
  return reader
    .selectFrom('activity_events')
    .select(['ref', 'commit_from', 'commit_to'])
    .where('project_id', '=', given.id)
    .where('action', '=', 'pushed')
    .orderBy('id', 'desc')
    .limit(count)
    .execute();
}

async function countPushes({ given }: PreparedMove): Promise<number> {
  const rows = await reader.selectFrom('activity_events').select('id').where('project_id', '=', given.id).execute();
  return rows.length;
}

async function countIntents({ given }: PreparedMove, db = reader): Promise<number> {
  return (await db.selectFrom('ref_intents').select('id').where('project_id', '=', given.id).execute()).length;
}

async function getVersion({ given }: PreparedMove): Promise<number> {
  const row = await reader
    .selectFrom('repositories')
    .select('ref_state_version')
    .where('project_id', '=', given.id)
    .executeTakeFirstOrThrow();
  return row.ref_state_version;
}

test('records refs that moved before the crash', async () => {
  const abandoned = await prepareMove();
  const before = await getVersion(abandoned);
  await storeIntent(abandoned, [toMain(abandoned)]);
  await moveRefsNow(abandoned, [toMain(abandoned)]);
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  assert.deepEqual(await listPushes(abandoned, 1), [
    { ref: 'main', commit_from: abandoned.oldId, commit_to: abandoned.newId },
  ]);
  assert.equal(await getVersion(abandoned), before + 1);
  assert.equal(await countIntents(abandoned), 0);
});

test('records nothing for refs that have not moved', async () => {
  const abandoned = await prepareMove();
  const [before, count] = [await getVersion(abandoned), await countPushes(abandoned)];
  await storeIntent(abandoned, [toMain(abandoned)]);
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  assert.deepEqual(
    [await getVersion(abandoned), await countPushes(abandoned), await countIntents(abandoned)],
    [before, count, 0],
  );
});

test('restores a ref whose file lost its content when the machine stopped', async () => {
  const abandoned = await prepareMove();
  const count = await countPushes(abandoned);
  await storeIntent(abandoned, [toMain(abandoned)]);
  const { directory } = getRepository(services.git, abandoned.project);
  await writeFile(join(directory, 'refs/heads/main'), '');
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  assert.equal(await resolveRef({ directory }, 'refs/heads/main'), abandoned.oldId);
  assert.deepEqual([await countPushes(abandoned), await countIntents(abandoned)], [count, 0]);
});

test('discards an intent whose ref others have moved to an object that is no commit', async () => {
  const abandoned = await prepareMove();
  const { git } = services;
  const repository = getRepository(git, abandoned.project);
  const { blobId } = await findBlob(abandoned);
  const tag = { ref: 'refs/tags/v1', oldId: ZERO_ID };
  await storeIntent(abandoned, [{ ...tag, newId: abandoned.newId }]);
  await moveRefsNow(abandoned, [{ ...tag, newId: blobId }]);
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  assert.equal(await resolveRef(repository, tag.ref), blobId);
  assert.equal(await countIntents(abandoned), 0);
});

async function findBlob({ given, newId }: PreparedMove): Promise<{ readonly blobId: string }> {
  const { body } = await given.owner.get(`${given.repository}/tree`, { ref: newId });
  return { blobId: body[0].id };
}

test('records only the refs that moved', async () => {
  const abandoned = await prepareMove();
  const newBranch = { ref: 'refs/heads/made', oldId: ZERO_ID, newId: abandoned.newId };
  await storeIntent(abandoned, [toMain(abandoned), newBranch]);
  await moveRefsNow(abandoned, [newBranch]);
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  assert.deepEqual(await listPushes(abandoned, 1), [{ ref: 'made', commit_from: null, commit_to: abandoned.newId }]);
});

test('records a ref that others have moved further', async () => {
  const abandoned = await prepareMove();
  await storeIntent(abandoned, [toMain(abandoned)]);
  await moveRefsNow(abandoned, [toMain(abandoned)]);
  const beyond = await abandoned.given.commit({ 'a.txt': 'three' });
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  const recorded = await listPushes(abandoned, 2);
  assert.ok(
    recorded.some(({ commit_from, commit_to }) => commit_from === abandoned.oldId && commit_to === abandoned.newId),
  );
  assert.ok(recorded.some(({ commit_from, commit_to }) => commit_from === abandoned.newId && commit_to === beyond));
});

test('does not record a ref that others have moved elsewhere', async () => {
  const abandoned = await prepareMove();
  const count = await countPushes(abandoned);
  await storeIntent(abandoned, [toMain(abandoned)]);
  const elsewhere = await abandoned.given.commit({ 'b.txt': 'else' });
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  assert.equal(await countPushes(abandoned), count + 1);
  assert.deepEqual((await listPushes(abandoned, 1))[0]?.commit_to, elsewhere);
});

test('records only the intent that moved the ref, of two from the same commit', async () => {
  for (const isSettled of [true, false]) {
    const abandoned = await prepareMove();
    const count = await countPushes(abandoned);
    // The client got no response and pushes again with one more commit.
    await storeIntent(abandoned, [toMain(abandoned)]);
    const beyond = await abandoned.given.commit({ 'a.txt': 'three' }, { branch: 'draft' });
    const change = { ...toMain(abandoned), newId: beyond };
    const retried = await storeIntent(abandoned, [change]);
    await moveRefsNow(abandoned, [change]);
    if (isSettled) await completeIntent(services, retried, [change]);
    await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
    assert.equal(await countPushes(abandoned), count + 2, 'that of the draft, and one');
    assert.deepEqual(await listPushes(abandoned, 1), [
      { ref: 'main', commit_from: abandoned.oldId, commit_to: beyond },
    ]);
    assert.equal(await countIntents(abandoned), 0);
  }
});

test('records a push once that is retried without a response', async () => {
  const abandoned = await prepareMove();
  const count = await countPushes(abandoned);
  await storeIntent(abandoned, [toMain(abandoned)]);
  const retried = await storeIntent(abandoned, [toMain(abandoned)]);
  await moveRefsNow(abandoned, [toMain(abandoned)]);
  await completeIntent(services, retried, retried.changes);
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  assert.deepEqual([await countPushes(abandoned), await countIntents(abandoned)], [count + 1, 0]);
});

test('records a ref that others have moved further but not recorded yet', async () => {
  const abandoned = await prepareMove();
  await storeIntent(abandoned, [toMain(abandoned)]);
  await moveRefsNow(abandoned, [toMain(abandoned)]);
  const back = {
    ref: 'refs/heads/main',
    oldId: abandoned.newId,
    newId: await abandoned.given.commit({ b: 'b' }, { branch: 'other' }),
  };
  await storeIntent(abandoned, [back]);
  await moveRefsNow(abandoned, [back]);
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  const moves = (await listPushes(abandoned, 2)).map(({ commit_from, commit_to }) => [commit_from, commit_to]);
  assert.deepEqual(moves, [
    [back.oldId, back.newId],
    [abandoned.oldId, abandoned.newId],
  ]);
});

test('records a deleted ref, but not one that still exists', async () => {
  const abandoned = await prepareMove();
  const removal = { ref: 'refs/heads/draft', oldId: abandoned.newId, newId: ZERO_ID };
  const count = await countPushes(abandoned);
  await storeIntent(abandoned, [removal]);
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  assert.equal(await countPushes(abandoned), count);
  await storeIntent(abandoned, [removal]);
  await moveRefsNow(abandoned, [removal]);
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  assert.deepEqual(await listPushes(abandoned, 1), [{ ref: 'draft', commit_from: abandoned.newId, commit_to: null }]);
});

test('records once when two processes complete an intent', async () => {
  const abandoned = await prepareMove();
  await storeIntent(abandoned, [toMain(abandoned)]);
  await moveRefsNow(abandoned, [toMain(abandoned)]);
  const [before, count] = [await getVersion(abandoned), await countPushes(abandoned)];
  await Promise.all([1, 2, 3].map(() => recoverInterruptedRefUpdates(services, { isOnlyProcess: true })));
  assert.deepEqual([await getVersion(abandoned), await countPushes(abandoned)], [before + 1, count + 1]);
});

test('sets the default branch of an empty repository during recovery', async () => {
  const given = await newProject();
  const other = await prepareMove();
  const response = await given.owner.post(`${given.repository}/files/a.txt`, {
    branch: 'trunk',
    content: 'one',
    commit_message: 'Add',
  });
  assert.equal(response.status, 201);
  await services.database.transaction((tx) =>
    tx
      .updateTable('repositories')
      .set({ empty: true, default_branch: 'main' })
      .where('project_id', '=', given.id)
      .execute(),
  );
  const { body: branch } = await given.owner.get(`${given.repository}/branches/trunk`);
  const project = await findProject(reader, ANONYMOUS, String(given.id));
  assert.ok(project);
  const change = { ref: 'refs/heads/trunk', oldId: ZERO_ID, newId: branch.commit.id };
  clock.advance(1);
  await storeIntent({ ...other, given, project }, [change]);
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  const { body } = await given.owner.get(given.at);
  assert.deepEqual([body.default_branch, body.empty_repo], ['trunk', false]);
});

test('updates HEAD to the default branch set before a crash', async () => {
  const abandoned = await prepareMove();
  const { git } = services;
  const repository = getRepository(git, abandoned.project);
  const change = { ref: 'refs/heads/trunk', oldId: ZERO_ID, newId: abandoned.newId };
  await storeIntent(abandoned, [change]);
  await moveRefsNow(abandoned, [change]);
  await setHead(git, repository, 'trunk');
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  assert.equal(await findHeadBranch(repository), 'main');
});

test('with other processes, waits for the lease of an intent to expire', async () => {
  const abandoned = await prepareMove();
  await storeIntent(abandoned, [toMain(abandoned)]);
  clock.advance(LEASE_SECONDS - 1);
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: false });
  assert.equal(await countIntents(abandoned), 1);
  clock.advance(1);
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: false });
  assert.equal(await countIntents(abandoned), 0);
});

test('deletes an intent of a deleted project', async () => {
  const abandoned = await prepareMove();
  const { id, owner, path_with_namespace } = abandoned.given;
  await owner.delete(`/projects/${id}`);
  const { body } = await root.get(`/projects/${id}`);
  await storeIntent(abandoned, [toMain(abandoned)]);
  await owner.delete(`/projects/${id}`, {
    permanently_remove: true,
    full_path: body?.path_with_namespace ?? path_with_namespace,
  });
  await runJobs();
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  assert.equal(await countIntents(abandoned), 0);
});

test('an intent that cannot be completed does not block others and is retried', async () => {
  const [broken, left] = [await prepareMove(), await prepareMove()];
  for (const one of [broken, left]) {
    await storeIntent(one, [toMain(one)]);
    await moveRefsNow(one, [toMain(one)]);
  }
  const runUnitOfWork: RunUnitOfWork = (by, uow, options) =>
    services.runUnitOfWork(
      by,
      async (inner) => {
        const done = await uow(inner);
        if ((await countIntents(broken, inner)) === 0) throw new Error('No room for this project');
        return done;
      },
      options,
    );
  assert.equal(await recoverInterruptedRefUpdates({ ...services, runUnitOfWork }, { isOnlyProcess: true }), 1);
  assert.deepEqual([await countIntents(broken), await countIntents(left)], [1, 0]);
  assert.equal(await recoverInterruptedRefUpdates(services, { isOnlyProcess: true }), 1);
  assert.equal(await countIntents(broken), 0);
});
