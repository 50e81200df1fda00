import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { Git } from '../git.ts';
import { showsAllRefs } from '../process/commands.ts';
import { stream } from '../process/spawn.ts';
import { finish, type Streamed, until } from '../process/stream-pipes.ts';
import type { Repository } from '../repository.ts';
import { ownDirectory } from '../storage/internal-directory.ts';
import { ensureRepository, repositoryExists } from '../storage/storage.ts';

export type Service = 'git-upload-pack' | 'git-receive-pack';

interface AdvertiseOptions {
  output: Writable;
  /** The client's `Git-Protocol` header. */
  protocol?: string | undefined;
  /** Also those that the server keeps for itself. */
  allRefs?: boolean;
  /** What HEAD of a repository names that does not exist yet. */
  defaultBranch?: string | undefined;
}

/**
 * The answer of `GET info/refs?service=...`, framing included (repository.md §5). A repository that does not exist yet
 * is advertised as an empty one, so that it can be cloned and pushed to. Ends `output`.
 */
export async function advertise(
  git: Git,
  repository: Repository,
  service: Service,
  options: AdvertiseOptions,
): Promise<Streamed> {
  const { output, protocol } = options;
  const served = await orEmpty(git, repository, options.defaultBranch);
  const env = protocolEnvironment(protocol);
  // Version 2 answers without a service line; pushing has no version 2.
  if (service === 'git-receive-pack' || env.GIT_PROTOCOL !== 'version=2') output.write(serviceLine(service));
  const child = stream(
    git,
    served,
    service === 'git-upload-pack' ? 'upload-pack' : 'receive-pack',
    { flags: ['--stateless-rpc', '--http-backend-info-refs'], args: [served.directory] },
    { env, ...(options.allRefs && { config: showsAllRefs }) },
  );
  child.stdin.end();
  until(output, child);
  return finish(child, output);
}

/** Only the versions that we know reach git. */
export function protocolEnvironment(header: string | undefined): { GIT_PROTOCOL?: string } {
  const versions = (header ?? '').split(':').filter((part) => /^version=[012]$/.test(part));
  const highest = versions.sort().at(-1);
  return highest === undefined ? {} : { GIT_PROTOCOL: highest };
}

function serviceLine(service: Service): string {
  const line = `# service=${service}\n`;
  return `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`;
}

/** The repository, or in place of an absent one an empty one that nobody writes to. */
export async function orEmpty(git: Git, repository: Repository, defaultBranch = 'main'): Promise<Repository> {
  if (await repositoryExists(repository)) return repository;
  const name = createHash('sha256').update(defaultBranch).digest('hex').slice(0, 16);
  const empty = { directory: join(ownDirectory(git), `empty-${name}.git`) };
  await ensureRepository(empty, { defaultBranch });
  return empty;
}
