import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { mergeBranches } from './merges.ts';
import { TOKEN } from './process.ts';
import { ask } from './request.ts';

/** The acknowledged writes: none may be lost. */
export interface Acknowledged {
  /** Files created on main by the API. */
  readonly files: Set<string>;
  /** Branches made and not deleted since. */
  readonly branches: Set<string>;
  readonly deleted: Set<string>;
  /** Branch -> the commit of its last acknowledged push. */
  readonly pushed: Map<string, string>;
  /** The numbers of merge requests. */
  readonly merged: Set<number>;
}

export interface Loading {
  readonly address: string;
  readonly projectId: number;
  readonly projectPath: string;
  /** A working copy of each pusher. */
  readonly copies: readonly string[];
  readonly round: number;
  readonly told: Acknowledged;
  readonly running: () => boolean;
}

/** Runs clients that write, create branches, merge and push until the server is down. */
export async function load(loading: Loading): Promise<void> {
  const writers = [0, 1, 2].map((writer) => writeFiles(loading, writer));
  const pushers = loading.copies.map((copy, index) => pushCommits(loading, copy, `pusher-${index}`));
  await Promise.all([...writers, ...pushers, changeBranches(loading), mergeBranches(loading)]);
}

async function call(loading: Loading, method: string, path: string, body?: object): Promise<number> {
  try {
    const response = await ask(loading, method, `/projects/${loading.projectId}${path}`, body);
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

async function writeFiles(loading: Loading, writer: number): Promise<void> {
  for (let index = 0; loading.running(); index++) {
    const path = `r${loading.round}/w${writer}/f${index}.txt`;
    const body = { branch: 'main', content: path, commit_message: `Write ${path}` };
    const status = await call(loading, 'POST', `/repository/files/${encodeURIComponent(path)}`, body);
    if (status === 201) loading.told.files.add(path);
  }
}

async function changeBranches(loading: Loading): Promise<void> {
  for (let index = 0; loading.running(); index++) {
    const branch = `b-${loading.round}-${index}`;
    if ((await call(loading, 'POST', '/repository/branches', { branch, ref: 'main' })) !== 201) continue;
    loading.told.branches.add(branch);
    if (index % 2 === 1) continue;
    loading.told.branches.delete(branch);
    if ((await call(loading, 'DELETE', `/repository/branches/${branch}`)) === 204) loading.told.deleted.add(branch);
  }
}

async function pushCommits(loading: Loading, copy: string, branch: string): Promise<void> {
  const remote = `${loading.address.replace('http://', `http://root:${TOKEN}@`)}/${loading.projectPath}.git`;
  while (loading.running()) {
    const made = await git(copy, 'commit', '-q', '--allow-empty', '-m', `round ${loading.round}`);
    const id = (await git(copy, 'rev-parse', 'HEAD')).text.trim();
    if (!made.ok) continue;
    const pushed = await git(copy, 'push', '-q', remote, `HEAD:refs/heads/${branch}`);
    if (pushed.ok) loading.told.pushed.set(branch, id);
  }
}

/** Runs git in a directory with a clean environment. */
export function git(directory: string, ...args: string[]): Promise<{ ok: boolean; text: string }> {
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    HOME: join(directory, '..'),
  };
  const identity = [
    '-c',
    'user.name=Crash',
    '-c',
    'user.email=crash@hearth.test',
    '-c',
    'init.defaultBranch=main',
    '-c',
    'safe.directory=*',
  ];
  return new Promise((resolve) => {
    execFile('git', [...identity, ...args], { cwd: directory, env, maxBuffer: 1 << 28 }, (error, stdout) =>
      resolve({ ok: error === null, text: stdout }),
    );
  });
}
