import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { writeObject } from '../objects/loose-objects.ts';
import { readCommit } from '../objects/object-reader.ts';
import { createGitWithWorkingCopy } from '../transport/client.testing.ts';
import { rebase } from './rebase.ts';

const committer = { name: 'Cara', email: 'cara@example.com', at: { seconds: 1_700_000_000, offset: '+0100' } };
const goOn = () => {};

/** Creates a branch `side` that diverged from `main`. */
async function parted(t: TestContext) {
  const setup = await createGitWithWorkingCopy(t);
  const { copy } = setup;
  await copy.commit('base', { f: '1\n2\n3\n', g: 'g\n' });
  await copy.git('checkout', '-q', '-b', 'side');
  await copy.commit('one\n\nWith a body', { f: '1\n2\nthree\n' });
  await copy.git('commit', '-q', '--allow-empty', '-m', 'nothing', '--author=Ada. <ada@example.com>');
  const head = await copy.commit('two', { h: 'h\n' });
  await copy.git('checkout', '-q', 'main');
  const onto = await copy.commit('main', { f: 'I\n2\n3\n' });
  return { ...setup, head, onto };
}

test('rebases commits like git, with their authors, dates and messages', async (t) => {
  const { git, repository, copy, head, onto } = await parted(t);
  const rebased = await rebase(git, repository, { onto, head, committer, checkCancelled: goOn });
  assert.ok(typeof rebased === 'object');
  const log = (at: string) => copy.git('log', '--format=%an <%ae> %ad %B', '--date=raw', `${onto}..${at}`);
  await copy.git('checkout', '-q', '-B', 'again', head);
  await copy.git('rebase', '-q', onto);
  assert.equal(await log(rebased.tip), await log('again'));
  assert.equal(await copy.git('rev-parse', `${rebased.tip}^{tree}`), await copy.git('rev-parse', 'again^{tree}'));
  const { committer: by, parentIds } = (await readCommit(git, repository, rebased.tip))!;
  assert.deepEqual([by.name, by.email, by.date], ['Cara', 'cara@example.com', '2023-11-14T23:13:20.000+01:00']);
  assert.equal(parentIds.length, 1);
  assert.equal(await copy.git('rev-list', '--count', `${onto}..${rebased.tip}`), '3');
});

test('skips merges and changes that exist already', async (t) => {
  const { git, repository, copy, onto } = await parted(t);
  await copy.git('checkout', '-q', 'side');
  await copy.git('merge', '-q', '-m', 'merged', onto);
  const picked = await copy.commit('picked', { p: 'p\n' });
  await copy.git('checkout', '-q', 'main');
  await copy.git('cherry-pick', picked);
  const main = await copy.git('rev-parse', 'main');
  const rebased = await rebase(git, repository, { onto: main, head: picked, committer, checkCancelled: goOn });
  assert.ok(typeof rebased === 'object');
  const titles = await copy.git('log', '--format=%s', `${main}..${rebased.tip}`);
  assert.deepEqual(titles.split('\n'), ['two', 'nothing', 'one']);
});

test('a change of the same lines is a conflict, and cancelling stops the rebase', async (t) => {
  const { git, repository, copy, head } = await parted(t);
  const onto = await copy.commit('main', { f: 'I\n2\nIII\n' });
  assert.equal(await rebase(git, repository, { onto, head, committer, checkCancelled: goOn }), 'conflict');
  const stop = () => {
    throw new Error('no further');
  };
  await assert.rejects(rebase(git, repository, { onto, head, committer, checkCancelled: stop }), /no further/);
});

test('converts other encodings to UTF-8', async (t) => {
  const { git, repository, copy, onto } = await parted(t);
  await copy.git('checkout', '-q', '-b', 'latin', `${onto}~`);
  const head = await copy.commit('x', { l: 'l' });
  const raw = `tree ${await copy.git('rev-parse', `${head}^{tree}`)}\nparent ${onto}\n`;
  const rest = 'author J\xfcrg <j@x> 5 +0000\ncommitter J <j@x> 5 +0000\nencoding ISO-8859-1\n\nGr\xfc\xdfe\n';
  const id = await writeObject(git, repository, 'commit', Buffer.from(raw + rest, 'latin1'));
  const rebased = await rebase(git, repository, {
    onto: `${await copy.git('rev-parse', 'side')}`,
    head: id,
    committer,
    checkCancelled: goOn,
  });
  assert.ok(typeof rebased === 'object', String(rebased));
  const { author, message } = (await readCommit(git, repository, rebased.tip))!;
  assert.deepEqual([author.name, message], ['Jürg', 'Grüße\n']);
});
