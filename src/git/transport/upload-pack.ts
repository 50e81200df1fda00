import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Git } from '../git.ts';
import { SHOW_ALL_REFS } from '../process/commands.ts';
import { spawnGit } from '../process/spawn.ts';
import { killOnClose, pipeToStdin, pipeUntilExit, type StreamResult } from '../process/stream-pipes.ts';
import type { Repository } from '../repository.ts';
import { ensureRepository, getInternalDirectory, repositoryExists } from '../storage/storage.ts';

interface UploadOptions {
  /** The decoded body of the client's POST. */
  input: Readable;
  output: Writable;
  /** The client's `Git-Protocol` header. */
  protocol?: string | undefined;
  /** Includes the internal refs of the server. */
  allRefs?: boolean;
  /** Default branch that is advertised for a repository that does not exist yet. */
  defaultBranch?: string;
}

/**
 * Handles a fetch over smart HTTP (contract/repository.md §5), streamed with back-pressure. Stops when the client
 * disconnects. A missing repository counts as empty. Ends `output`, or destroys it if git dies.
 */
export async function uploadPack(git: Git, repository: Repository, options: UploadOptions): Promise<StreamResult> {
  const { input, output, protocol } = options;
  const servedRepository = await getRepositoryOrEmpty(git, repository, options.defaultBranch);
  const child = spawnGit(
    git,
    servedRepository,
    'upload-pack',
    { flags: ['--stateless-rpc'], args: [servedRepository.directory] },
    { env: toProtocolEnvironment(protocol), ...(options.allRefs && { config: SHOW_ALL_REFS }) },
  );
  pipeToStdin(input, child.stdin);
  killOnClose(output, child);
  return pipeUntilExit(child, output);
}

export type GitService = 'git-upload-pack' | 'git-receive-pack';

interface AdvertiseOptions {
  output: Writable;
  /** The client's `Git-Protocol` header. */
  protocol?: string | undefined;
  /** Includes the internal refs of the server. */
  allRefs?: boolean;
  /** Default branch that is advertised for a repository that does not exist yet. */
  defaultBranch?: string;
}

/**
 * Writes the response to `GET info/refs?service=...`, including its framing (contract/repository.md §5). A missing
 * repository is advertised as empty, so that it can be cloned and pushed to. Ends `output`.
 */
export async function sendRefAdvertisement(
  git: Git,
  repository: Repository,
  service: GitService,
  options: AdvertiseOptions,
): Promise<StreamResult> {
  const { output, protocol } = options;
  const servedRepository = await getRepositoryOrEmpty(git, repository, options.defaultBranch);
  const env = toProtocolEnvironment(protocol);
  // Version 2 has no service line; pushes do not support version 2.
  if (service === 'git-receive-pack' || env.GIT_PROTOCOL !== 'version=2') output.write(createServiceLine(service));
  const child = spawnGit(
    git,
    servedRepository,
    service === 'git-upload-pack' ? 'upload-pack' : 'receive-pack',
    { flags: ['--stateless-rpc', '--http-backend-info-refs'], args: [servedRepository.directory] },
    { env, ...(options.allRefs && { config: SHOW_ALL_REFS }) },
  );
  child.stdin.end();
  killOnClose(output, child);
  return pipeUntilExit(child, output);
}

/** Returns the environment for a `Git-Protocol` header: only the highest known protocol version. */
export function toProtocolEnvironment(header: string | undefined): { GIT_PROTOCOL?: string } {
  const versions = (header ?? '').split(':').filter((part) => /^version=[012]$/.test(part));
  const highestVersion = versions.sort().at(-1);
  return highestVersion === undefined ? {} : { GIT_PROTOCOL: highestVersion };
}

/** Formats the service line as a packet, followed by a flush packet. */
function createServiceLine(service: GitService): string {
  const line = `# service=${service}\n`;
  return `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`;
}

/** Returns the repository, or an empty read-only one if it is missing. */
async function getRepositoryOrEmpty(git: Git, repository: Repository, defaultBranch = 'main'): Promise<Repository> {
  if (await repositoryExists(repository)) return repository;
  const name = createHash('sha256').update(defaultBranch).digest('hex').slice(0, 16);
  const emptyRepository = { directory: join(getInternalDirectory(git), `empty-${name}.git`) };
  await ensureRepository(emptyRepository, { defaultBranch });
  return emptyRepository;
}
