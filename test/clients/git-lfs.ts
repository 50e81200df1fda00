// Drives a Hearth server with git and git-lfs as a user would: one line a step.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { api, step } from './step.ts';

const { HEARTH = '', TOKEN = '', CLIENT = '', PATH = '' } = process.env;
const place = mkdtempSync(join(tmpdir(), 'hearth-git-lfs-'));
const env = {
  ...process.env,
  // git finds its extension there.
  PATH: CLIENT === '' ? PATH : `${dirname(CLIENT)}:${PATH}`,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  HOME: place,
};
const remote = `${HEARTH.replace('://', `://root:${TOKEN}@`)}/root/large.git`;
const picture = randomBytes(3_000_000);
function git(directory: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: directory, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

const one = join(place, 'one');
await step('a tracked file is pushed as an object', async () => {
  assert.equal((await api('POST', '/projects', { name: 'large' })).status, 201);
  git(place, 'config', '--global', 'user.name', 'Large');
  git(place, 'config', '--global', 'user.email', 'large@hearth.test');
  git(place, 'lfs', 'install', '--skip-repo');
  git(place, 'init', '-q', '-b', 'main', 'one');
  git(one, 'lfs', 'track', '*.bin');
  writeFileSync(join(one, 'picture.bin'), picture);
  git(one, 'add', '.');
  git(one, 'commit', '-q', '-m', 'Add a picture');
  git(one, 'remote', 'add', 'origin', remote);
  git(one, 'push', '-q', 'origin', 'main');
});

await step('the repository holds the pointer, the API gives the content', async () => {
  const url = '/projects/root%2Flarge/repository/files/picture.bin/raw?ref=main';
  assert.match(await (await api('GET', url)).text(), /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n/);
  const whole = await api('GET', `${url}&lfs=true`);
  assert.deepEqual(Buffer.from(await whole.arrayBuffer()), picture);
});

await step('a clone has the content', () => {
  git(place, 'clone', '-q', remote, 'two');
  assert.deepEqual(readFileSync(join(place, 'two', 'picture.bin')), picture);
});

await step('a file that the API writes where LFS tracks comes as its content', async () => {
  const content = randomBytes(50_000);
  const body = { branch: 'main', commit_message: 'Write', content: content.toString('base64'), encoding: 'base64' };
  const made = await api('POST', '/projects/root%2Flarge/repository/files/written.bin', body);
  assert.equal(made.status, 201);
  git(join(place, 'two'), 'pull', '-q');
  assert.deepEqual(readFileSync(join(place, 'two', 'written.bin')), content);
});

await step('a push without its objects is refused', () => {
  writeFileSync(join(one, 'lost.bin'), randomBytes(10_000));
  git(one, 'add', '.');
  git(one, 'commit', '-q', '-m', 'Add what is lost');
  git(one, 'pull', '-q', '--rebase', 'origin', 'main');
  assert.throws(
    () => git(one, '-c', 'core.hooksPath=/dev/null', 'push', '-q', 'origin', 'main'),
    (error: { stderr?: string }) => /LFS objects are missing/.test(error.stderr ?? ''),
  );
  git(one, 'push', '-q', 'origin', 'main');
});

rmSync(place, { recursive: true, force: true });
