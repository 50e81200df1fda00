import { text } from 'node:stream/consumers';
import { getGitPath, startProcess } from '#git/process/process-spawner.ts';
import type { CommitData, FileChanges } from './project-data.ts';

/** The author of commits, who pushes with this token. */
interface Committer {
  readonly name: string;
  readonly email: string;
  readonly username: string;
  readonly token: string;
}

interface Push {
  readonly branch: string;
  /** Parent of the first commit: none, the head of `main`, or that of the branch. */
  readonly start: 'none' | 'main' | 'branch';
  readonly commits: readonly CommitData[];
  /** Time of the commits. */
  readonly time: Date;
  readonly committer: Committer;
}

/** A clone of one project, from which the people push. */
export interface WorkTree {
  /** Commits to a branch and pushes it. */
  push(push: Push): Promise<void>;
  /** Creates a tag of the head of `main` and pushes it. */
  pushTag(tag: string, message: string, time: Date, committer: Committer): Promise<void>;
}

/** Creates an empty clone in a directory, which must not exist. */
export async function createWorkTree(directory: string, url: string): Promise<WorkTree> {
  await runGit(['init', '--quiet', '--bare', directory]);
  const git = (args: readonly string[], options?: GitOptions) => runGit(['-C', directory, ...args], options);
  const asCommitter = ({ name, email, username, token }: Committer, time: Date) => ({
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: `${toSeconds(time)} +0000`,
    // In the environment, because other users of the machine can read arguments.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`,
  });
  const fetchBranches = (env: NodeJS.ProcessEnv) =>
    git(['fetch', '--quiet', url, '+refs/heads/*:refs/remotes/server/*'], { env });
  return {
    async push({ branch, start, commits, time, committer }) {
      const env = asCommitter(committer, time);
      if (start === 'main') await fetchBranches(env);
      const parents = { none: null, main: 'refs/remotes/server/main', branch: `refs/heads/${branch}` };
      const stream = formatCommits({ branch, parent: parents[start], commits, time, committer });
      await git(['fast-import', '--quiet', '--force'], { input: stream });
      await git(['push', '--quiet', url, `refs/heads/${branch}`], { env });
    },
    async pushTag(tag, message, time, committer) {
      const env = asCommitter(committer, time);
      await fetchBranches(env);
      await git(['tag', '--annotate', '--message', message, tag, 'refs/remotes/server/main'], { env });
      await git(['push', '--quiet', url, `refs/tags/${tag}`], { env });
    },
  };
}

interface CommitsToFormat extends Pick<Push, 'branch' | 'commits' | 'time' | 'committer'> {
  /** Ref of the parent of the first commit. */
  readonly parent: string | null;
}

/** Returns the commits as a stream for `git fast-import`. They are a minute apart, the last one at `time`. */
function formatCommits({ branch, parent, commits, time, committer: { name, email } }: CommitsToFormat): string {
  return commits
    .map(({ message, files }, index) => {
      const seconds = toSeconds(time) - (commits.length - 1 - index) * 60;
      const from = index === 0 && parent !== null ? `from ${parent}^0\n` : '';
      return (
        `commit refs/heads/${branch}\ncommitter ${name} <${email}> ${seconds} +0000\n` +
        `${formatData(`${message}\n`)}${from}${formatFiles(files)}`
      );
    })
    .join('');
}

function formatFiles(files: FileChanges): string {
  return Object.entries(files)
    .map(([path, content]) => {
      if (content === null) return `D ${path}\n`;
      return `M ${content.startsWith('#!') ? '100755' : '100644'} inline ${path}\n${formatData(content)}`;
    })
    .join('');
}

const formatData = (content: string) => `data ${Buffer.byteLength(content)}\n${content}\n`;

const toSeconds = (time: Date) => Math.floor(time.getTime() / 1000);

interface GitOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
}

/** Runs git with the settings of no user. Throws with its messages if it fails. */
async function runGit(args: readonly string[], { env = {}, input = '' }: GitOptions = {}): Promise<void> {
  const child = startProcess({
    file: 'git',
    args,
    env: {
      PATH: getGitPath(),
      HOME: '/nonexistent',
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
      ...env,
    },
    streams: 3,
  });
  const [stdin, stdout, stderr] = child.streams;
  stdin!.on('error', () => undefined);
  stdin!.end(input);
  const [messages, , exit] = await Promise.all([text(stderr!), text(stdout!), child.ended]);
  if (!('code' in exit) || exit.code !== 0)
    throw new Error(`The demo failed: git ${args.at(-2)} ${args.at(-1)}: ${'error' in exit ? exit.error : messages}`);
}
