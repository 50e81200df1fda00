import type { Readable, Writable } from 'node:stream';
import type { Git } from '../git.ts';
import { SHOW_ALL_REFS } from '../process/commands.ts';
import { spawnGit } from '../process/spawn.ts';
import { killOnClose, pipeToStdin, pipeUntilExit, type StreamResult } from '../process/stream-pipes.ts';
import type { Repository } from '../repository.ts';
import { getRepositoryOrEmpty, toProtocolEnvironment } from './advertise-refs.ts';

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
