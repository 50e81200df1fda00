// Drives a Hearth server with git itself as a user would: one line a step.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { api, step } from './step.ts';

const { HEARTH = '', TOKEN = '' } = process.env;
const place = mkdtempSync(join(tmpdir(), 'hearth-git-'));
const env = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  HOME: place,
};
const identity = ['-c', 'user.name=Git', '-c', 'user.email=git@hearth.test', '-c', 'init.defaultBranch=main'];
const remote = `${HEARTH.replace('://', `://root:${TOKEN}@`)}/root/driven.git`;
function git(directory: string, ...args: string[]): string {
  return execFileSync('git', [...identity, ...args], {
    cwd: directory,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** What git said when it failed. */
function refusal(directory: string, ...args: string[]): string {
  try {
    git(directory, ...args);
  } catch (error) {
    return String((error as { stderr?: string }).stderr);
  }
  throw new Error(`git ${args.join(' ')} did not fail`);
}

const one = join(place, 'one');
await step('an empty project is cloned and gets its first push', async () => {
  assert.equal((await api('POST', '/projects', { name: 'driven' })).status, 201);
  git(place, 'clone', '-q', remote, 'one');
  writeFileSync(join(one, 'a.txt'), 'a\n');
  git(one, 'add', '.');
  git(one, 'commit', '-q', '-m', 'First');
  git(one, 'push', '-q', 'origin', 'HEAD:main');
});
await step('a clone has what was pushed', () => {
  git(place, 'clone', '-q', remote, 'two');
  assert.equal(readFileSync(join(place, 'two/a.txt'), 'utf8'), 'a\n');
});
await step('a branch and an annotated tag', async () => {
  git(one, 'checkout', '-q', '-b', 'feature');
  git(one, 'commit', '-q', '--allow-empty', '-m', 'More');
  git(one, 'tag', '-a', 'v1', '-m', 'One');
  git(one, 'push', '-q', 'origin', 'feature', 'v1');
  git(join(place, 'two'), 'fetch', '-q', '--tags');
  assert.match(git(join(place, 'two'), 'tag'), /v1/);
});
await step('a forced push to a protected branch is refused, all of it', () => {
  git(one, 'checkout', '-q', '--orphan', 'other');
  git(one, 'commit', '-q', '-m', 'Another history');
  const said = refusal(one, 'push', '-f', 'origin', 'other:main', 'other:fresh');
  assert.match(said, /remote: GitLab: You are not allowed to force push code to a protected branch on this project\./);
  assert.match(said, /pre-receive hook declined/);
  assert.doesNotMatch(git(one, 'ls-remote', 'origin'), /fresh/);
});
await step('the default branch stays', () => {
  assert.match(refusal(one, 'push', 'origin', ':main'), /The default branch of a project cannot be deleted/);
});
await step('strangers learn nothing', () => {
  const said = refusal(place, 'ls-remote', `${HEARTH}/root/driven.git`);
  assert.equal(
    said.replaceAll('driven', 'X'),
    refusal(place, 'ls-remote', `${HEARTH}/root/nothing.git`).replaceAll('nothing', 'X'),
  );
});
await step('a shallow clone and a fetch by protocol 0', () => {
  git(place, 'clone', '-q', '--depth', '1', remote, 'shallow');
  git(join(place, 'two'), '-c', 'protocol.version=0', 'fetch', '-q', 'origin');
});
rmSync(place, { recursive: true, force: true });
