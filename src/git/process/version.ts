import type { Readable } from 'node:stream';
import { ConfigError } from '#config.ts';
import { getGitPath, startDirectly } from './process-spawner.ts';

const MIN_VERSION = { major: 2, minor: 38 };
const MIN_VERSION_TEXT = `${MIN_VERSION.major}.${MIN_VERSION.minor}`;
const DOWNLOADS = 'https://git-scm.com/downloads';
/** Timeout of `git --version`, which usually takes three milliseconds; slow network file systems take longer. */
const TIMEOUT_MS = 30_000;

/**
 * Throws ConfigError unless the git that will be run is new enough. The process runs in parallel with the caller
 * until it awaits the result. It is started directly: the process spawner is for servers that run git often.
 */
export async function requireGit(): Promise<void> {
  const { output, failure } = await runGitVersion();
  if (failure !== null) throw new ConfigError(describeFailure(failure));
  const version = parseVersion(output);
  if (version === null) {
    throw new ConfigError(
      `git ${MIN_VERSION_TEXT} or newer is needed; "git --version" printed ${JSON.stringify(firstLine(output))}. ${INSTALL_NEWER}`,
    );
  }
  if (version.major > MIN_VERSION.major || (version.major === MIN_VERSION.major && version.minor >= MIN_VERSION.minor))
    return;
  throw new ConfigError(`git ${MIN_VERSION_TEXT} or newer is needed; found ${version.text}. ${INSTALL_NEWER}`);
}

const INSTALL_NEWER = `Install a newer git (${DOWNLOADS}) and start again.`;

function describeFailure(failure: string): string {
  if (failure.includes('ENOENT'))
    return `git was not found on PATH. Install git ${MIN_VERSION_TEXT} or newer (${DOWNLOADS}) and start again.`;
  return `git ${MIN_VERSION_TEXT} or newer is needed; "git --version" failed: ${failure}. Install git (${DOWNLOADS}) and start again.`;
}

interface GitVersion {
  readonly major: number;
  readonly minor: number;
  /** Version as git prints it, without a vendor suffix in parentheses: `2.45.2.windows.1`. */
  readonly text: string;
}

/** Parses the output of `git --version`. Returns null if it has another format. */
export function parseVersion(output: string): GitVersion | null {
  const [, text, major, minor] = /^git version ((\d+)\.(\d+)\S*)/.exec(output) ?? [];
  return text === undefined ? null : { text, major: Number(major), minor: Number(minor) };
}

async function runGitVersion(): Promise<{ output: string; failure: string | null }> {
  const child = startDirectly({
    file: 'git',
    args: ['--version'],
    env: { PATH: getGitPath(), LC_ALL: 'C' },
    streams: 3,
  });
  const [stdin, stdout, stderr] = child.streams;
  stdin!.on('error', () => {}).end();
  const output = collectText(stdout!);
  const errors = collectText(stderr!);
  let hasTimedOut = false;
  const timer = setTimeout(() => {
    hasTimedOut = true;
    child.signal('SIGKILL');
  }, TIMEOUT_MS);
  const exit = await child.ended;
  clearTimeout(timer);
  if ('error' in exit) return { output: '', failure: exit.error };
  // While the modules of a server load, a slow machine may notice only after the timeout that git ended long before.
  if (exit.code === 0) return { output: output(), failure: null };
  if (hasTimedOut) return { output: '', failure: `it did not end within ${TIMEOUT_MS / 1000} seconds` };
  return { output: '', failure: firstLine(errors()) || `it ended with ${exit.code ?? 'a signal'}` };
}

const MAX_OUTPUT_CHARACTERS = 4096;

/** Returns a function that returns the text received so far. */
function collectText(stream: Readable): () => string {
  let text = '';
  stream.on('error', () => {});
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < MAX_OUTPUT_CHARACTERS) text += chunk;
  });
  return () => text;
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]!.slice(0, 200);
}
