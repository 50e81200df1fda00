import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitChanges, writeBlob } from '../commits/commit.ts';
import { commitFiles, createFileChanges, createGitWorld, type GitWorld, TEST_SIGNER } from '../fixtures.testing.ts';
import { computeObjectId, writeObject } from '../objects/loose-objects.ts';
import { writePack } from '../objects/pack-writer.ts';
import { GitError } from '../process/failures.ts';
import { formatTree } from './tree-edit.ts';

/** Returns whether git would accept a push of a tree with this one entry: a file with this content, or a link to it. */
async function gitTakes(world: GitWorld, name: string, content: string, mode: string): Promise<boolean> {
  const { git, repository } = world;
  const id = await writeBlob(git, repository, Buffer.from(content));
  const tree = formatTree([{ mode, type: 'blob', id, name }]);
  try {
    const object = { id: await computeObjectId('tree', tree), type: 'tree', content: tree } as const;
    await writePack(git, repository, [object], { checked: true });
    return true;
  } catch (error) {
    assert.ok(error instanceof GitError && error.failure.kind === 'unsound', String(error));
    return false;
  }
}

/** Returns whether a commit accepts it, on top of a parent with a link or nothing. */
async function commitTakes(world: GitWorld, name: string, content: string, mode: string): Promise<boolean> {
  const { git, repository } = world;
  const link = mode === '120000';
  const parent = link ? await commitWithLink(world, content) : null;
  const change = link
    ? ({ action: 'move', from: 'link', path: name } as const)
    : ({ action: 'create', path: name, content: Buffer.from(content) } as const);
  const request = { parent, changes: [change], author: TEST_SIGNER, committer: TEST_SIGNER, message: 'm\n' };
  const result = await commitChanges(git, repository, request);
  assert.ok('ok' in result || result.rejected === 'invalid-path', JSON.stringify(result));
  return 'ok' in result;
}

async function commitWithLink(world: GitWorld, target: string): Promise<string> {
  const { git, repository } = world;
  const id = await writeBlob(git, repository, Buffer.from(target));
  const tree = await writeObject(
    git,
    repository,
    'tree',
    formatTree([{ mode: '120000', type: 'blob', id, name: 'link' }]),
  );
  const lines = [`tree ${tree}`, 'author A <a@b> 0 +0000', 'committer A <a@b> 0 +0000', '', 'm\n'];
  return writeObject(git, repository, 'commit', Buffer.from(lines.join('\n')));
}

const SPELLINGS = [
  ...['.git', '.GIT', '.git ', '.git.', '.git . ', '.git::$INDEX_ALLOCATION', '.g\u200cit', 'git~1', 'GIT~1.', 'git~2'],
  ...['.git\\config', 'a\\.git', 'a\\.git\\b', 'a\\git~1', '.gitx', 'a.git', '.', '..', '. ', '...', 'a\\..\\b'],
  ...[
    '.gitmodules',
    '.GITMODULES',
    '.gitmodules ',
    '.gitmodules:x',
    '.gitm\u200dodules',
    'gitmod~1',
    'GITMOD~4',
    'gitmod~9',
  ],
  ...['gi7eba~1', 'GI7EB~10', 'g~100000', '~1000000', 'gi7d29~1', '.gitattributes', '.gitattributes.', 'gitatt~1'],
  ...['.gitignore', '.gitkeep', '.github', 'plain', 'a\\b', 'c:\\d'],
];

const CONTENTS = [
  'plain text\n',
  '[submodule "a"]\n\tpath = a\n\turl = -u./x\n',
  '[submodule "../a"]\n\tpath = a\n\turl = https://example.com/a\n',
  '[submodule "a"]\n\tpath = -a\n\turl = https://example.com/a\n',
  '[submodule "a"]\n\tpath = a\n\turl = ./a\n\tupdate = !sh\n',
  '[submodule "a"]\n\tpath = a\n\turl = https://example.com/a%0ahost=x\n',
  '[submodule "a"]\n\tpath = a\n\turl = https://example.com/a.git\n',
  `* ${'x'.repeat(3000)}\n`,
];

test('rejects in a commit what git rejects in a push', async (t) => {
  const world = await createGitWorld(t);
  let rejectedCount = 0;
  for (const name of SPELLINGS) {
    // The content matters only for files that git inspects; the first two contents cover the others.
    for (const content of /git(?:mod|att)|gi7|~1/i.test(name) ? CONTENTS.slice(0, 2) : CONTENTS.slice(0, 1)) {
      for (const mode of ['100644', '120000']) {
        if (await gitTakes(world, name, content, mode)) continue;
        rejectedCount += 1;
        assert.equal(await commitTakes(world, name, content, mode), false, JSON.stringify([name, content, mode]));
      }
    }
  }
  assert.ok(rejectedCount > 30, `${rejectedCount}`);
});

test('applies git’s own rules to .gitmodules and .gitattributes', async (t) => {
  const world = await createGitWorld(t);
  for (const name of ['.gitmodules', '.gitattributes']) {
    for (const content of CONTENTS) {
      const [git, commit] = await Promise.all(
        [gitTakes, commitTakes].map((takes) => takes(world, name, content, '100644')),
      );
      assert.equal(commit, git, JSON.stringify([name, content]));
    }
  }
});

test('a commit that git rejects leaves no objects and names the path', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const parent = await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  const changes = createFileChanges({ b: 'b', '.gitmodules': CONTENTS[1]! });
  const request = { parent, changes, author: TEST_SIGNER, committer: TEST_SIGNER, message: 'm\n' };
  const result = await commitChanges(git, repository, request);
  assert.deepEqual(result, { rejected: 'invalid-path', path: '.gitmodules', index: 1 });
});
