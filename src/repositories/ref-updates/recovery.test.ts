import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS } from '#authentication/caller.ts';
import { findProject, type Project as ProjectRow } from '#domain/namespaces/projects.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import { headTarget, setHead, zeroId } from '#git/refs/refs.ts';
import { type RefChange, updateRefs } from '#git/refs/update-refs.ts';
import { isFailure } from '#runtime/failure.ts';
import { type Project, world } from '#test/support/world.ts';
import { repositoryOf } from '../repository.ts';
import { settleIntent } from './complete-intent.ts';
import type { Intent } from './intents.ts';
import { beginMove } from './move-refs.ts';
import { settleLeftIntents } from './recovery.ts';

// A process that dies between writing down what it is about to move and recording that it has: what the next one finds.

const { server, root, work, clock, newProject } = await world();
const { services } = server;
const { reader } = services.database;

const LEASE_SECONDS = 60;

interface Left {
  readonly given: Project;
  readonly project: ProjectRow;
  /** A commit that no branch has yet, on top of `main`. */
  readonly newId: string;
  readonly oldId: string;
}

/** A repository with a commit that is written and that no ref has reached. */
async function beforeTheMove(): Promise<Left> {
  const given = await newProject();
  const oldId = await given.commit({ 'a.txt': 'one' });
  const newId = await given.commit({ 'a.txt': 'two' }, { branch: 'draft' });
  const project = await findProject(reader, ANONYMOUS, String(given.id));
  assert.ok(project);
  return { given, project, oldId, newId };
}

async function intendTo({ given, project }: Left, changes: readonly RefChange[]): Promise<Intent> {
  const intent = await beginMove(services, { project, by: { server: true, userId: given.owner.id }, changes });
  assert.ok(!isFailure(intent));
  return intent;
}

async function moveNow({ project }: Left, changes: readonly RefChange[]): Promise<void> {
  assert.deepEqual(await updateRefs(services.git, repositoryOf(services.git, project), changes), { ok: true });
}

const toMain = ({ oldId, newId }: Left): RefChange => ({ ref: 'refs/heads/main', oldId, newId });

/** The last pushes of the project, the latest first: what each moved, from where to where. */
async function pushes({ given }: Left, count: number) {
  return reader
    .selectFrom('activity_events')
    .select(['ref', 'commit_from', 'commit_to'])
    .where('project_id', '=', given.id)
    .where('action', '=', 'pushed')
    .orderBy('id', 'desc')
    .limit(count)
    .execute();
}

async function pushCount({ given }: Left): Promise<number> {
  const rows = await reader.selectFrom('activity_events').select('id').where('project_id', '=', given.id).execute();
  return rows.length;
}

async function intents({ given }: Left, db = reader): Promise<number> {
  return (await db.selectFrom('ref_intents').select('id').where('project_id', '=', given.id).execute()).length;
}

async function version({ given }: Left): Promise<number> {
  const row = await reader
    .selectFrom('repositories')
    .select('ref_state_version')
    .where('project_id', '=', given.id)
    .executeTakeFirstOrThrow();
  return row.ref_state_version;
}

test('refs that have moved are recorded as if nothing had happened', async () => {
  const left = await beforeTheMove();
  const before = await version(left);
  await intendTo(left, [toMain(left)]);
  await moveNow(left, [toMain(left)]);
  await settleLeftIntents(services, true);
  assert.deepEqual(await pushes(left, 1), [{ ref: 'main', commit_from: left.oldId, commit_to: left.newId }]);
  assert.equal(await version(left), before + 1);
  assert.equal(await intents(left), 0);
});

test('refs that have not moved leave no trace', async () => {
  const left = await beforeTheMove();
  const [before, count] = [await version(left), await pushCount(left)];
  await intendTo(left, [toMain(left)]);
  await settleLeftIntents(services, true);
  assert.deepEqual([await version(left), await pushCount(left), await intents(left)], [before, count, 0]);
});

test('of several refs those are recorded that have moved', async () => {
  const left = await beforeTheMove();
  const made = { ref: 'refs/heads/made', oldId: zeroId, newId: left.newId };
  await intendTo(left, [toMain(left), made]);
  await moveNow(left, [made]);
  await settleLeftIntents(services, true);
  assert.deepEqual(await pushes(left, 1), [{ ref: 'made', commit_from: null, commit_to: left.newId }]);
});

test('a ref that others have moved on since had been moved', async () => {
  const left = await beforeTheMove();
  await intendTo(left, [toMain(left)]);
  await moveNow(left, [toMain(left)]);
  const beyond = await left.given.commit({ 'a.txt': 'three' });
  await settleLeftIntents(services, true);
  const recorded = await pushes(left, 2);
  assert.ok(recorded.some(({ commit_from, commit_to }) => commit_from === left.oldId && commit_to === left.newId));
  assert.ok(recorded.some(({ commit_from, commit_to }) => commit_from === left.newId && commit_to === beyond));
});

test('a ref that others have moved elsewhere had not', async () => {
  const left = await beforeTheMove();
  const count = await pushCount(left);
  await intendTo(left, [toMain(left)]);
  const elsewhere = await left.given.commit({ 'b.txt': 'else' });
  await settleLeftIntents(services, true);
  assert.equal(await pushCount(left), count + 1);
  assert.deepEqual((await pushes(left, 1))[0]?.commit_to, elsewhere);
});

test('of two that were to move a ref from the same commit the one that has done so is recorded', async () => {
  for (const isSettled of [true, false]) {
    const left = await beforeTheMove();
    const count = await pushCount(left);
    // Whoever got no answer has pushed again, with a commit more.
    await intendTo(left, [toMain(left)]);
    const beyond = await left.given.commit({ 'a.txt': 'three' }, { branch: 'draft' });
    const change = { ...toMain(left), newId: beyond };
    const again = await intendTo(left, [change]);
    await moveNow(left, [change]);
    if (isSettled) await settleIntent(services, again, [change]);
    await settleLeftIntents(services, true);
    assert.equal(await pushCount(left), count + 2, 'that of the draft, and one');
    assert.deepEqual(await pushes(left, 1), [{ ref: 'main', commit_from: left.oldId, commit_to: beyond }]);
    assert.equal(await intents(left), 0);
  }
});

test('a push that is made again when nobody has answered is recorded once', async () => {
  const left = await beforeTheMove();
  const count = await pushCount(left);
  await intendTo(left, [toMain(left)]);
  const again = await intendTo(left, [toMain(left)]);
  await moveNow(left, [toMain(left)]);
  await settleIntent(services, again, again.changes);
  await settleLeftIntents(services, true);
  assert.deepEqual([await pushCount(left), await intents(left)], [count + 1, 0]);
});

test('a ref that others have moved on, and not said so yet, had been moved', async () => {
  const left = await beforeTheMove();
  await intendTo(left, [toMain(left)]);
  await moveNow(left, [toMain(left)]);
  const back = {
    ref: 'refs/heads/main',
    oldId: left.newId,
    newId: await left.given.commit({ b: 'b' }, { branch: 'other' }),
  };
  await intendTo(left, [back]);
  await moveNow(left, [back]);
  await settleLeftIntents(services, true);
  const moves = (await pushes(left, 2)).map(({ commit_from, commit_to }) => [commit_from, commit_to]);
  assert.deepEqual(moves, [
    [back.oldId, back.newId],
    [left.oldId, left.newId],
  ]);
});

test('a removed ref is recorded as removed, one that is there still is not', async () => {
  const left = await beforeTheMove();
  const removal = { ref: 'refs/heads/draft', oldId: left.newId, newId: zeroId };
  const count = await pushCount(left);
  await intendTo(left, [removal]);
  await settleLeftIntents(services, true);
  assert.equal(await pushCount(left), count);
  await intendTo(left, [removal]);
  await moveNow(left, [removal]);
  await settleLeftIntents(services, true);
  assert.deepEqual(await pushes(left, 1), [{ ref: 'draft', commit_from: left.newId, commit_to: null }]);
});

test('two that settle at once record once', async () => {
  const left = await beforeTheMove();
  await intendTo(left, [toMain(left)]);
  await moveNow(left, [toMain(left)]);
  const [before, count] = [await version(left), await pushCount(left)];
  await Promise.all([1, 2, 3].map(() => settleLeftIntents(services, true)));
  assert.deepEqual([await version(left), await pushCount(left)], [before + 1, count + 1]);
});

test('the first branch of an empty repository becomes its default branch even so', async () => {
  const given = await newProject();
  const other = await beforeTheMove();
  const made = await given.owner.post(`${given.repository}/files/a.txt`, {
    branch: 'trunk',
    content: 'one',
    commit_message: 'Add',
  });
  assert.equal(made.status, 201);
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
  const change = { ref: 'refs/heads/trunk', oldId: zeroId, newId: branch.commit.id };
  clock.advance(1);
  await intendTo({ ...other, given, project }, [change]);
  await settleLeftIntents(services, true);
  const { body } = await given.owner.get(given.at);
  assert.deepEqual([body.default_branch, body.empty_repo], ['trunk', false]);
});

test('HEAD follows the default branch that a process has decided on before it died', async () => {
  const left = await beforeTheMove();
  const { git } = services;
  const repository = repositoryOf(git, left.project);
  const change = { ref: 'refs/heads/trunk', oldId: zeroId, newId: left.newId };
  await intendTo(left, [change]);
  await moveNow(left, [change]);
  await setHead(git, repository, 'trunk');
  await settleLeftIntents(services, true);
  assert.equal(await headTarget(repository), 'main');
});

test('beside other processes an intent is left alone until its lease is over', async () => {
  const left = await beforeTheMove();
  await intendTo(left, [toMain(left)]);
  clock.advance(LEASE_SECONDS - 1);
  await settleLeftIntents(services, false);
  assert.equal(await intents(left), 1);
  clock.advance(1);
  await settleLeftIntents(services, false);
  assert.equal(await intents(left), 0);
});

test('an intent of a project that is gone goes too', async () => {
  const left = await beforeTheMove();
  const { id, owner, path_with_namespace } = left.given;
  await owner.delete(`/projects/${id}`);
  const { body } = await root.get(`/projects/${id}`);
  await intendTo(left, [toMain(left)]);
  await owner.delete(`/projects/${id}`, {
    permanently_remove: true,
    full_path: body?.path_with_namespace ?? path_with_namespace,
  });
  await work();
  await settleLeftIntents(services, true);
  assert.equal(await intents(left), 0);
});

test('what can’t be settled keeps nobody else from being settled, and waits for the next time', async () => {
  const [broken, left] = [await beforeTheMove(), await beforeTheMove()];
  for (const one of [broken, left]) {
    await intendTo(one, [toMain(one)]);
    await moveNow(one, [toMain(one)]);
  }
  const runUnitOfWork: RunUnitOfWork = (by, uow, options) =>
    services.runUnitOfWork(
      by,
      async (inner) => {
        const done = await uow(inner);
        if ((await intents(broken, inner)) === 0) throw new Error('No room for this project');
        return done;
      },
      options,
    );
  assert.equal(await settleLeftIntents({ ...services, runUnitOfWork }, true), 1);
  assert.deepEqual([await intents(broken), await intents(left)], [1, 0]);
  assert.equal(await settleLeftIntents(services, true), 1);
  assert.equal(await intents(broken), 0);
});
