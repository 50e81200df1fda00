// Source of other projects, fetched by git into a folder outside of the project.
import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';

export interface GitSource {
  readonly repository: string;
  readonly tag: string;
  /** The folders that are needed, as a repository may be large. */
  readonly folders: readonly string[];
}

const TIMEOUT_MS = 120_000;

/** Returns whether the source is in the folder, fetched now if need be. */
export function fetchSource({ repository, tag, folders }: GitSource, folder: string): boolean {
  if (existsSync(folder)) return true;
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' };
  const runGit = (...parameters: readonly string[]) =>
    spawnSync('git', parameters, { env, timeout: TIMEOUT_MS }).status === 0;
  const isFetched =
    runGit('clone', '--quiet', '--depth=1', '--filter=blob:none', '--sparse', `--branch=${tag}`, repository, part) &&
    runGit('-C', part, 'sparse-checkout', 'set', ...folders);
  if (isFetched) renameSync(part, folder);
  else rmSync(part, { recursive: true, force: true });
  return isFetched;
}
