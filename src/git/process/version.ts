import type { Readable } from 'node:stream';
import { ConfigError } from '#config.ts';
import { getGitPath, startDirectly } from './start-process.ts';

const OLDEST = { major: 2, minor: 38 };
const NEEDED = `${OLDEST.major}.${OLDEST.minor}`;
const DOWNLOADS = 'https://git-scm.com/downloads';
/** Milliseconds. It takes about three; a program on a slow network file system takes longer. */
const PATIENCE = 30_000;

/**
 * Throws ConfigError unless the git that will be run is new enough. The process runs in parallel with the caller
 * until it awaits the result. It is started directly: the process spawner is for servers that run git often.
 */
export async function requireGit(): Promise<void> {
  const { output, failure } = await askForVersion();
  if (failure !== null) throw new ConfigError(describeFailure(failure));
  const version = parseVersion(output);
  if (version === null) {
    throw new ConfigError(
      `git ${NEEDED} or newer is needed; "git --version" printed ${JSON.stringify(firstLine(output))}. ${INSTALL_NEWER}`,
    );
  }
  if (version.major > OLDEST.major || (version.major === OLDEST.major && version.minor >= OLDEST.minor)) return;
  throw new ConfigError(`git ${NEEDED} or newer is needed; found ${version.text}. ${INSTALL_NEWER}`);
}

const INSTALL_NEWER = `Install a newer git (${DOWNLOADS}) and start again.`;

function describeFailure(failure: string): string {
  if (failure.includes('ENOENT')) {
    return `git was not found on PATH. Install git ${NEEDED} or newer (${DOWNLOADS}) and start again.`;
  }
  return `git ${NEEDED} or newer is needed; "git --version" failed: ${failure}. Install git (${DOWNLOADS}) and start again.`;
}

interface GitVersion {
  readonly major: number;
  readonly minor: number;
  /** As git prints it, without what a vendor adds in brackets: `2.45.2.windows.1`. */
  readonly text: string;
}

/** Reads what `git --version` prints; null if it is something else. */
export function parseVersion(output: string): GitVersion | null {
  const [, text, major, minor] = /^git version ((\d+)\.(\d+)\S*)/.exec(output) ?? [];
  return text === undefined ? null : { text, major: Number(major), minor: Number(minor) };
}

async function askForVersion(): Promise<{ output: string; failure: string | null }> {
  const child = startDirectly({
    file: 'git',
    args: ['--version'],
    env: { PATH: getGitPath(), LC_ALL: 'C' },
    streams: 3,
  });
  const [stdin, stdout, stderr] = child.streams;
  stdin!.on('error', () => {}).end();
  const output = textOf(stdout!);
  const errors = textOf(stderr!);
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    child.signal('SIGKILL');
  }, PATIENCE);
  const ended = await child.ended;
  clearTimeout(limit);
  if ('error' in ended) return { output: '', failure: ended.error };
  if (isLate) return { output: '', failure: `it did not end within ${PATIENCE / 1000} seconds` };
  if (ended.code === 0) return { output: output(), failure: null };
  return { output: '', failure: firstLine(errors()) || `it ended with ${ended.code ?? 'a signal'}` };
}

const LONGEST = 4096;

/** Returns what returns the text that has come so far. */
function textOf(stream: Readable): () => string {
  let text = '';
  stream.on('error', () => {});
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < LONGEST) text += chunk;
  });
  return () => text;
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]!.slice(0, 200);
}
