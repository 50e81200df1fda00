import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { systemClock } from '#runtime/clock.ts';
import { createGit, type Git, repositoryAt } from '../git.ts';
import type { Started } from '../process/process-spawner.ts';
import { start } from '../process/start-process.ts';
import type { Repository } from '../repository.ts';
import { ensureRepository } from '../storage/storage.ts';
import { advertise, type Service } from './advertise-refs.ts';
import { type Received, type ReceiveOptions, receivePack } from './receive-pack.ts';
import { uploadPack } from './upload-pack.ts';

/** A directory that goes with the test. */
async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'hearth-git-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A git room over an empty storage, and a repository in it that exists; both go with the test. */
export async function gitWithRepository(t: TestContext): Promise<{ git: Git; repository: Repository }> {
  const { git, repository } = await gitWithoutRepository(t);
  await ensureRepository(repository, { defaultBranch: 'main' });
  return { git, repository };
}

/** The same before anything was written: the repository's directory is absent. */
export async function gitWithoutRepository(t: TestContext): Promise<{ git: Git; repository: Repository }> {
  const directory = await temporaryDirectory(t);
  const git = createGit({ storages: { default: directory }, clock: systemClock });
  t.after(() => git.close());
  return { git, repository: repositoryAt(git, 'default', 'project.git') };
}

/** A git room, and a working copy whose own repository it reads. */
export async function gitOverCopy(t: TestContext): Promise<{ git: Git; repository: Repository; copy: WorkingCopy }> {
  const { git } = await gitWithoutRepository(t);
  const copy = await workingCopy(t);
  return { git, repository: { directory: join(copy.directory, '.git') }, copy };
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A developer's clone: runs git as people do. */
export interface WorkingCopy {
  readonly directory: string;
  /** Runs git here; rejects when it fails. Answers what it printed, trimmed. */
  git(...args: string[]): Promise<string>;
  /** Runs git here, whatever comes of it. */
  tryGit(...args: string[]): Promise<Ran>;
  write(path: string, content: string | Buffer): Promise<void>;
  /** Writes the files, commits everything; `seconds` after the first second of 2024. Answers the id. */
  commit(message: string, files?: Readonly<Record<string, string>>, seconds?: number): Promise<string>;
}

const FIRST_SECOND = 1_704_067_200;

export async function workingCopy(t: TestContext): Promise<WorkingCopy> {
  const directory = await temporaryDirectory(t);
  let commits = 0;

  const tryGit = async (args: readonly string[], seconds = 0): Promise<Ran> => {
    const date = `${FIRST_SECOND + seconds} +0000`;
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
    return ran(start({ file: 'git', args: ['-C', directory, ...args], env, streams: 3 }));
  };
  const git = async (args: readonly string[], seconds?: number): Promise<string> => {
    const ran = await tryGit(args, seconds);
    if (ran.code !== 0) throw new Error(`git ${args.join(' ')}: ${ran.stderr}`);
    return ran.stdout;
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
    commit: async (message, files = {}, seconds = (commits += 1)) => {
      for (const [path, content] of Object.entries(files)) await write(path, content);
      await git(['add', '-A'], seconds);
      await git(['commit', '-q', '--allow-empty', '--cleanup=verbatim', '-m', message], seconds);
      return git(['rev-parse', 'HEAD']);
    },
  };
}

async function ran({ streams: [stdin, stdout, stderr], ended }: Started): Promise<Ran> {
  stdin!.end();
  const [said, complaint, end] = await Promise.all([text(stdout!), text(stderr!), ended]);
  return { code: 'code' in end ? (end.code ?? 1) : 1, stdout: said.trim(), stderr: complaint };
}

interface Served {
  readonly url: string;
  /** What `receivePack` answered, one for each push. */
  readonly received: Received[];
}

/** The repository at an address that git clients can clone from and push to. */
export async function serve(
  t: TestContext,
  git: Git,
  repository: Repository,
  pushes: Partial<Pick<ReceiveOptions, 'check' | 'after'>> = {},
): Promise<Served> {
  const received: Received[] = [];
  const protocolOf = (request: IncomingMessage): string | undefined => request.headers['git-protocol']?.toString();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://localhost');
    const protocol = protocolOf(request);
    if (url.pathname.endsWith('/info/refs')) {
      const service = url.searchParams.get('service') as Service;
      response.setHeader('Content-Type', `application/x-${service}-advertisement`);
      await advertise(git, repository, service, { output: response, protocol });
    } else if (url.pathname.endsWith('/git-upload-pack')) {
      response.setHeader('Content-Type', 'application/x-git-upload-pack-result');
      await uploadPack(git, repository, { input: request, output: response, protocol });
    } else {
      await ensureRepository(repository, { defaultBranch: 'main' });
      response.setHeader('Content-Type', 'application/x-git-receive-pack-result');
      const { check = async () => 'accept' as const, after = async () => undefined } = pushes;
      received.push(await receivePack(git, repository, { input: request, output: response, check, after }));
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/project.git`, received };
}
