import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { systemClock } from '#runtime/clock.ts';
import { createGit, type Git, getRepositoryAt } from '../git.ts';
import { type SpawnedProcess, startProcess } from '../process/process-spawner.ts';
import type { Repository } from '../repository.ts';
import { ensureRepository } from '../storage/storage.ts';
import { type ReceiveOptions, type ReceiveResult, receivePack } from './receive-pack.ts';
import { type GitService, sendRefAdvertisement, uploadPack } from './upload-pack.ts';

/** Creates a directory, which is removed after the test. */
async function createTemporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'hearth-git-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Creates a `Git` with an empty repository; the test removes both. */
export async function createGitWithRepository(t: TestContext): Promise<{ git: Git; repository: Repository }> {
  const { git, repository } = await createGitWithoutRepository(t);
  await ensureRepository(repository, { defaultBranch: 'main' });
  return { git, repository };
}

/** Creates a `Git` and a repository whose directory does not exist; the test removes both. */
export async function createGitWithoutRepository(t: TestContext): Promise<{ git: Git; repository: Repository }> {
  const directory = await createTemporaryDirectory(t);
  const git = createGit({ storages: { default: directory }, clock: systemClock });
  t.after(() => git.close());
  return { git, repository: getRepositoryAt(git, 'default', 'project.git') };
}

/** Creates a `Git`, and a working copy whose repository it reads. */
export async function createGitWithWorkingCopy(
  t: TestContext,
): Promise<{ git: Git; repository: Repository; copy: WorkingCopy }> {
  const { git } = await createGitWithoutRepository(t);
  const copy = await createWorkingCopy(t);
  return { git, repository: { directory: join(copy.directory, '.git') }, copy };
}

interface GitRunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A developer's working copy. */
export interface WorkingCopy {
  readonly directory: string;
  /** Runs git here and returns its trimmed output; rejects if it fails. */
  git(...args: string[]): Promise<string>;
  /** Runs git here and returns the result, also if it fails. */
  tryGit(...args: string[]): Promise<GitRunResult>;
  write(path: string, content: string | Buffer): Promise<void>;
  /** Writes the files and commits everything `seconds` after the start of 2024. Returns the commit id. */
  commit(message: string, files?: Readonly<Record<string, string>>, seconds?: number): Promise<string>;
}

const START_OF_2024_SECONDS = 1_704_067_200;

/** Creates an empty working copy on `main`, which the test removes. */
export async function createWorkingCopy(t: TestContext): Promise<WorkingCopy> {
  const directory = await createTemporaryDirectory(t);
  let commitCount = 0;

  const tryGit = async (args: readonly string[], seconds = 0): Promise<GitRunResult> => {
    const date = `${START_OF_2024_SECONDS + seconds} +0000`;
    const env = {
      PATH: process.env.PATH,
      HOME: directory,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_AUTHOR_NAME: 'Ann',
      GIT_AUTHOR_EMAIL: 'ann@example.com',
      GIT_COMMITTER_NAME: 'Ann',
      GIT_COMMITTER_EMAIL: 'ann@example.com',
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    };
    return waitForResult(startProcess({ file: 'git', args: ['-C', directory, ...args], env, streams: 3 }));
  };
  const git = async (args: readonly string[], seconds?: number): Promise<string> => {
    const result = await tryGit(args, seconds);
    if (result.code !== 0) throw new Error(`git ${args.join(' ')}: ${result.stderr}`);
    return result.stdout;
  };
  const write = async (path: string, content: string | Buffer): Promise<void> => {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  };

  await git(['init', '-q', '-b', 'main']);
  return {
    directory,
    git: (...args) => git(args),
    tryGit: (...args) => tryGit(args),
    write,
    commit: async (message, files = {}, seconds = (commitCount += 1)) => {
      for (const [path, content] of Object.entries(files)) await write(path, content);
      await git(['add', '-A'], seconds);
      await git(['commit', '-q', '--allow-empty', '--cleanup=verbatim', '-m', message], seconds);
      return git(['rev-parse', 'HEAD']);
    },
  };
}

async function waitForResult({ streams: [stdin, stdout, stderr], ended }: SpawnedProcess): Promise<GitRunResult> {
  stdin!.end();
  const [stdoutText, stderrText, exit] = await Promise.all([text(stdout!), text(stderr!), ended]);
  return { code: 'code' in exit ? (exit.code ?? 1) : 1, stdout: stdoutText.trim(), stderr: stderrText };
}

interface ServedRepository {
  readonly url: string;
  /** Results of `receivePack`, one for each push. */
  readonly received: ReceiveResult[];
}

/** Serves the repository over HTTP, for clones and pushes. */
export async function serveRepository(
  t: TestContext,
  git: Git,
  repository: Repository,
  receiveOptions: Partial<Pick<ReceiveOptions, 'check' | 'afterMove'>> = {},
): Promise<ServedRepository> {
  const received: ReceiveResult[] = [];
  const getProtocol = (request: IncomingMessage): string | undefined => request.headers['git-protocol']?.toString();

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://localhost');
    const protocol = getProtocol(request);
    if (url.pathname.endsWith('/info/refs')) {
      const service = url.searchParams.get('service') as GitService;
      response.setHeader('Content-Type', `application/x-${service}-advertisement`);
      await sendRefAdvertisement(git, repository, service, { output: response, protocol });
    } else if (url.pathname.endsWith('/git-upload-pack')) {
      response.setHeader('Content-Type', 'application/x-git-upload-pack-result');
      await uploadPack(git, repository, { input: request, output: response, protocol });
    } else {
      await ensureRepository(repository, { defaultBranch: 'main' });
      response.setHeader('Content-Type', 'application/x-git-receive-pack-result');
      const { check = async () => 'accept' as const, afterMove = async () => [] } = receiveOptions;
      received.push(await receivePack(git, repository, { input: request, output: response, check, afterMove }));
    }
  }

  const server = createServer((request, response) => {
    handleRequest(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/project.git`, received };
}
