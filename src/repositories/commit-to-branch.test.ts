import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '../../test/world.ts';
import { findProject } from '../access/projects.ts';
import { isRefused, refused } from '../refused.ts';
import { type BranchCommit, commitToBranch } from './commit-to-branch.ts';
import type { StreamedBytes } from './lfs-content.ts';
import { type OpenBranch, PUSH_TO_BRANCH } from './push-permission.ts';

const { newProject, server } = await world();
const { rooms } = server;
const db = rooms.database.reader;

/** A project with its owner, and its branch `main` as that one may push to it. */
async function given() {
  const project = await newProject({ readme: true });
  const { owner, id } = project;
  const user = await db.selectFrom('users').selectAll().where('id', '=', owner.id).executeTakeFirstOrThrow();
  const caller = { user, token: null } as unknown as Parameters<typeof PUSH_TO_BRANCH.question>[1]['caller'];
  const open = async (): Promise<OpenBranch> => {
    const loaded = await findProject(db, caller, String(id));
    const branch = await PUSH_TO_BRANCH.question({ db }, { project: loaded!, caller })('main');
    assert.ok(!isRefused(branch));
    return branch;
  };
  return { ...project, open };
}

/** Content that somebody else's commit comes before, so many times. */
function slow(text: string, times: number, meanwhile: () => Promise<unknown>): StreamedBytes {
  let left = times;
  return {
    size: text.length,
    async *chunks() {
      if (left-- > 0) await meanwhile();
      yield Buffer.from(text);
    },
  };
}

const wish = (content: StreamedBytes, more: Partial<BranchCommit> = {}): BranchCommit => ({
  changes: [{ action: 'create', path: 'mine', content }],
  message: 'Mine',
  ...more,
});

test('a commit is made anew on what others have committed meanwhile', async () => {
  const { open, commit, owner, repository } = await given();
  let theirs = '';
  const content = slow('mine', 2, async () => {
    theirs = await commit({ [`theirs${theirs}`]: 'x' });
  });
  const made = await commitToBranch(rooms, await open(), wish(content));
  assert.ok(!isRefused(made), JSON.stringify(made));
  const { body } = await owner.get(`${repository}/commits/main`);
  assert.deepEqual([body.id, body.parent_ids], [made, [theirs]]);
});

test('what the others have committed counts: the same file is there already', async () => {
  const { open, commit } = await given();
  const content = slow('mine', 1, () => commit({ mine: 'theirs' }));
  assert.deepEqual(await commitToBranch(rooms, await open(), wish(content)), refused('fileExists'));
});

test('whoever never comes first, or forces, is told that the branch has moved', async () => {
  const { open, commit, owner, repository } = await given();
  const start = (await owner.get(`${repository}/commits/main`)).body.id;
  let number = 0;
  const meanwhile = () => commit({ [`theirs${number++}`]: 'x' });
  const moved = refused('moved', { branch: 'main' });
  assert.deepEqual(await commitToBranch(rooms, await open(), wish(slow('mine', 9, meanwhile))), moved);
  assert.equal(number, 3);
  const force = { force: true, startSha: start };
  await owner.delete(`/projects/${(await open()).project.id}/protected_branches/main`);
  assert.deepEqual(await commitToBranch(rooms, await open(), wish(slow('mine', 1, meanwhile), force)), moved);
  assert.equal(number, 4);
});
