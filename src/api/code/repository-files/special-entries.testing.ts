import assert from 'node:assert/strict';
import { ANONYMOUS } from '#authentication/caller.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { writeBlob, writeCommit } from '#git/commits/commit.ts';
import { writeObject } from '#git/objects/loose-objects.ts';
import { readCommit, readTree } from '#git/objects/object-reader.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import { formatTree } from '#git/trees/tree-edit.ts';
import type { Services } from '#http/services.ts';
import { updateRepositoryRefs } from '#repositories/ref-updates/move-refs.ts';
import { getRepository } from '#repositories/repository.ts';

/** Adds `link`, a symbolic link to README.md, and `module`, a submodule, to main. Returns the commit of the submodule. */
export async function addSpecialEntries(services: Services, projectId: number, userId: number): Promise<string> {
  const project = await findProject(services.database.reader, ANONYMOUS, String(projectId));
  assert.ok(project);
  const repository = getRepository(services.git, project);
  const tip = await findBranchHead(repository, 'main');
  assert.ok(tip);
  const parent = await readCommit(services.git, repository, tip);
  const tree = await readTree(services.git, repository, parent!.treeId);
  const submodule = 'c'.repeat(40);
  const link = await writeBlob(services.git, repository, Buffer.from('README.md'));
  const entries = [
    ...tree!.entries,
    { mode: '120000', type: 'blob' as const, id: link, name: 'link' },
    { mode: '160000', type: 'commit' as const, id: submodule, name: 'module' },
  ];
  const treeId = await writeObject(services.git, repository, 'tree', formatTree(entries));
  const signer = { name: 'Jane', email: 'jane@example.com' };
  const commit = { tree: treeId, parents: [tip], author: signer, committer: signer, message: 'Odd entries' };
  const newId = await writeCommit(services.git, repository, commit);
  const changes = [{ ref: 'refs/heads/main', oldId: tip, newId }];
  await updateRepositoryRefs(services, { project, actor: { server: true, userId }, changes });
  return submodule;
}
