import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findProject } from '#domain/namespaces/projects.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { world } from '#test/support/world.ts';
import { PUSH_TO_BRANCH, type PushableBranch } from '../branches/push-permission.ts';
import type { StreamedBytes } from '../lfs/lfs-content.ts';
import { type CommitToBranchInput, commitToBranch } from './commit-to-branch.ts';

const { newProject, server } = await world();
const { services } = server;
const db = services.database.reader;

/** Creates a project with its owner, and its branch `main` as pushable by them. */
async function given() {
  const project = await newProject({ readme: true });
  const { owner, id } = project;
  const user = await db.selectFrom('users').selectAll().where('id', '=', owner.id).executeTakeFirstOrThrow();
  const caller = { user, token: null } as unknown as Parameters<typeof PUSH_TO_BRANCH.createCheck>[1]['caller'];
  const open = async (): Promise<PushableBranch> => {
    const loaded = await findProject(db, caller, String(id));
    const branch = await PUSH_TO_BRANCH.createCheck({ db }, { project: loaded!, caller })('main');
    assert.ok(!isFailure(branch));
    return branch;
  };
  return { ...project, open };
}

/** Content that is read only after somebody else's commit. */
function slow(text: string, meanwhile: () => Promise<unknown>): StreamedBytes {
  return {
    size: text.length,
    async *chunks() {
      await meanwhile();
      yield Buffer.from(text);
    },
  };
}

const createInput = (content: StreamedBytes, more: Partial<CommitToBranchInput> = {}): CommitToBranchInput => ({
  changes: [{ action: 'create', path: 'mine', content }],
  message: 'Mine',
  ...more,
});

test('fails with "moved" when the branch moves during a commit', async () => {
  const { open, commit, owner, repository } = await given();
  let theirs = '';
  const content = slow('mine', async () => {
    theirs = await commit({ theirs: 'x' });
  });
  const moved = fail('moved', { branch: 'main' });
  assert.deepEqual(await commitToBranch(services, await open(), createInput(content)), moved);
  assert.equal((await owner.get(`${repository}/commits/main`)).body.id, theirs);
});

test('a forced commit fails when the branch head has changed', async () => {
  const { open, commit, owner, repository } = await given();
  const start = (await owner.get(`${repository}/commits/main`)).body.id;
  let theirs = '';
  const content = slow('mine', async () => {
    theirs = await commit({ theirs: 'x' });
  });
  await owner.delete(`/projects/${(await open()).project.id}/protected_branches/main`);
  const made = await commitToBranch(services, await open(), createInput(content, { force: true, startSha: start }));
  assert.deepEqual(made, fail('moved', { branch: 'main' }));
  assert.equal((await owner.get(`${repository}/commits/main`)).body.id, theirs);
});
