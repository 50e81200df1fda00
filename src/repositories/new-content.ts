import { writeBlob } from '../git/commit.ts';
import type { Git, Repository } from '../git/git.ts';

/** Bytes that are to be committed: in memory, or in a file while they are many. */
export type NewBytes = Buffer | BytesInFile;

export interface BytesInFile {
  readonly file: string;
  readonly size: number;
  chunks(): AsyncIterable<Buffer>;
}

/** What a commit takes: small bytes as they are, many as the id of a blob that is stored already. */
export async function contentFor(
  git: Git,
  repository: Repository,
  bytes: NewBytes,
): Promise<Buffer | { readonly id: string }> {
  if (Buffer.isBuffer(bytes)) return bytes;
  return { id: await writeBlob(git, repository, { size: bytes.size, chunks: bytes.chunks() }) };
}
