import assert from 'node:assert/strict';
import { NOBODY } from '#authentication/caller.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { writeBlob, writeCommit } from '#git/commits/commit.ts';
import { writeObject } from '#git/objects/loose-objects.ts';
import { readCommit, readTree } from '#git/objects/object-reader.ts';
import { branchTip } from '#git/refs/revision.ts';
import { formatTree } from '#git/trees/tree-edit.ts';
import type { Rooms } from '#http/services.ts';
import { moveRefs } from '#repositories/ref-updates/move-refs.ts';
import { repositoryOf } from '#repositories/repository.ts';

/** Adds `link`, a symbolic link to README.md, and `module`, a submodule, to main; gives the commit of the submodule. */
export async function repositoryWithOddEntries(rooms: Rooms, projectId: number, userId: number): Promise<string> {
  const project = await findProject(rooms.database.reader, NOBODY, String(projectId));
  assert.ok(project);
  const repository = repositoryOf(rooms.git, project);
  const tip = await branchTip(repository, 'main');
  assert.ok(tip);
  const parent = await readCommit(rooms.git, repository, tip);
  const tree = await readTree(rooms.git, repository, parent!.treeId);
  const submodule = 'c'.repeat(40);
  const link = await writeBlob(rooms.git, repository, Buffer.from('README.md'));
  const entries = [
    ...tree!.entries,
    { mode: '120000', type: 'blob' as const, id: link, name: 'link' },
    { mode: '160000', type: 'commit' as const, id: submodule, name: 'module' },
  ];
  const treeId = await writeObject(rooms.git, repository, 'tree', formatTree(entries));
  const signer = { name: 'Jane', email: 'jane@example.com' };
  const commit = { tree: treeId, parents: [tip], author: signer, committer: signer, message: 'Odd entries' };
  const newId = await writeCommit(rooms.git, repository, commit);
  const changes = [{ ref: 'refs/heads/main', oldId: tip, newId }];
  await moveRefs(rooms, { project, by: { server: true, userId }, changes });
  return submodule;
}
