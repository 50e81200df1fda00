import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { getRepositoryAt } from '#git/git.ts';
import { toDiskPath } from '#git/storage/storage.ts';
import { createWorkingCopy, type WorkingCopy } from '#git/transport/client.testing.ts';
import { type Caller, world } from '#test/support/world.ts';

// The default branch after a first push of many branches (contract/repository.md §2).

const { newProject, newGroup, server } = await world();

const urlOf = (caller: Caller, path: string) =>
  `${server.address.replace('http://', `http://x:${caller.token}@`)}/${path}.git`;

/** Makes branches, each with a commit on top of the named one or without history. */
async function createBranches(t: TestContext, parents: Readonly<Record<string, string>>): Promise<WorkingCopy> {
  const copy = await createWorkingCopy(t);
  for (const [name, parent] of Object.entries(parents)) {
    if (parent === '') await copy.git('checkout', '-q', '--orphan', name);
    else await copy.git('checkout', '-q', '-b', name, parent);
    await copy.commit(name);
  }
  return copy;
}

/** `trunk` contains two other branches, `zone` one and `alpha` none. */
const TRUNK = { old: '', alpha: '', middle: 'old', trunk: 'middle', zone: 'old' };

const CASES: [title: string, branches: Readonly<Record<string, string>>, expected: string][] = [
  ['the configured one', { ...TRUNK, master: 'old', main: 'old', wanted: '' }, 'wanted'],
  ['main', { ...TRUNK, master: 'old', main: '' }, 'main'],
  ['master', { ...TRUNK, master: '' }, 'master'],
  ['the one that contains most others', TRUNK, 'trunk'],
  ['the first of unrelated ones', { gamma: '', beta: '', delta: '' }, 'beta'],
];

for (const [title, branches, expected] of CASES) {
  for (const flag of ['--all', '--mirror']) {
    test(`a push ${flag} into an empty project selects ${title}`, async (t) => {
      const project = await newProject({ default_branch: 'wanted' });
      const copy = await createBranches(t, branches);
      await copy.git('push', '-q', flag, urlOf(project.owner, project.path_with_namespace));
      assert.equal((await project.owner.get(project.at)).body.default_branch, expected);
      const rules = (await project.owner.get(`${project.at}/protected_branches`)).body;
      assert.deepEqual(
        rules.map(({ name }: { name: string }) => name),
        [expected],
      );
      const { directory } = getRepositoryAt(server.services.git, 'default', toDiskPath(project.id));
      assert.equal(await readFile(join(directory, 'HEAD'), 'utf8'), `ref: refs/heads/${expected}\n`);
    });
  }
}

test('a push of all branches into an empty wiki selects in the same way', async (t) => {
  for (const [title, branches, expected] of CASES.slice(1)) {
    const group = await newGroup();
    const copy = await createBranches(t, branches);
    const url = urlOf(group.owner, `${group.full_path}.wiki`);
    await copy.git('push', '-q', '--all', url);
    assert.match(await copy.git('ls-remote', '--symref', url, 'HEAD'), new RegExp(`refs/heads/${expected}\t`), title);
  }
});
