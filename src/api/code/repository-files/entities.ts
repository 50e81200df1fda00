import { Type } from 'typebox';
import type { Commit } from '#git/objects/object-reader.ts';
import { entity, type ShapeOf } from '#http/endpoint/entity.ts';
import { toBase64 } from '#rate-limits/stream-limits.ts';
import type { StreamedText } from '#text/streamed-text.ts';
import type { FileAtRevision } from './get.ts';

/** A file with its content (contract/repository.md §1). */
export const RepositoryFile = entity('RepositoryFile', {
  file_name: Type.String(),
  file_path: Type.String(),
  size: Type.Integer({ description: 'Bytes.' }),
  encoding: Type.Literal('base64'),
  content_sha256: Type.String({ description: 'SHA-256 of the content in hexadecimal.' }),
  ref: Type.String({ description: 'The ref as it was sent.' }),
  blob_id: Type.String(),
  commit_id: Type.String({ description: 'Id of the commit that `ref` names.' }),
  last_commit_id: Type.String({ description: 'Id of the last commit up to `ref` that changed the file.' }),
  execute_filemode: Type.Boolean(),
  content: Type.String(),
}).from(({ file, content }: { readonly file: FileAtRevision; readonly content: Buffer | StreamedText }) => ({
  file_name: file.name.toWellFormed(),
  file_path: file.path.toWellFormed(),
  size: file.size,
  encoding: 'base64',
  content_sha256: file.sha256,
  ref: file.ref,
  blob_id: file.blobId,
  commit_id: file.commitId,
  last_commit_id: file.lastCommitId,
  execute_filemode: file.isExecutable,
  content: toBase64(content),
}));

/** The response to file writes. */
export const WrittenFile = entity('WrittenFile', { file_path: Type.String(), branch: Type.String() });
export type WrittenFile = ShapeOf<typeof WrittenFile>;

const BlamedCommit = entity('BlamedCommit', {
  id: Type.String(),
  parent_ids: Type.Array(Type.String()),
  message: Type.String(),
  authored_date: Type.String(),
  author_name: Type.String(),
  author_email: Type.String(),
  committed_date: Type.String(),
  committer_name: Type.String(),
  committer_email: Type.String(),
}).from(({ id, parentIds, message, author, committer }: Commit) => ({
  id,
  parent_ids: [...parentIds],
  message: message.toWellFormed(),
  authored_date: author.date,
  author_name: author.name.toWellFormed(),
  author_email: author.email.toWellFormed(),
  committed_date: committer.date,
  committer_name: committer.name.toWellFormed(),
  committer_email: committer.email.toWellFormed(),
}));

/** Adjacent lines of the same commit. */
export interface BlameRow {
  readonly commit: Commit;
  readonly lines: readonly string[];
}

/** Adjacent lines that the same commit changed last (contract/repository.md §1). */
export const BlameRange = entity('BlameRange', {
  commit: BlamedCommit.schema,
  lines: Type.Array(Type.String()),
}).from(({ commit, lines }: BlameRow, context) => ({
  commit: BlamedCommit.serialize(commit, context),
  lines: [...lines],
}));
