import type { Readable, Writable } from 'node:stream';
import type { Git } from '../git.ts';
import { showsAllRefs } from '../process/commands.ts';
import { stream } from '../process/spawn.ts';
import { feed, finish, type Streamed, until } from '../process/stream-pipes.ts';
import type { Repository } from '../repository.ts';
import { orEmpty, protocolEnvironment } from './advertise-refs.ts';

interface UploadOptions {
  /** The body of the client's POST, decoded. */
  input: Readable;
  output: Writable;
  /** The client's `Git-Protocol` header. */
  protocol?: string | undefined;
  /** Also those that the server keeps for itself. */
  allRefs?: boolean;
  /** What HEAD of a repository names that does not exist yet. */
  defaultBranch?: string | undefined;
}

/**
 * A fetch over smart HTTP (repository.md §5): what the client asks for, streamed at its pace; stops when the client
 * goes away. An absent repository is an empty one. Ends `output`; breaks it off when git dies in the middle.
 */
export async function uploadPack(git: Git, repository: Repository, options: UploadOptions): Promise<Streamed> {
  const { input, output, protocol } = options;
  const served = await orEmpty(git, repository, options.defaultBranch);
  const child = stream(
    git,
    served,
    'upload-pack',
    { flags: ['--stateless-rpc'], args: [served.directory] },
    { env: protocolEnvironment(protocol), ...(options.allRefs && { config: showsAllRefs }) },
  );
  feed(input, child.stdin);
  until(output, child);
  return finish(child, output);
}
