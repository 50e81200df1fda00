import { type Static, Type } from 'typebox';
import type { BlamedLines } from '../../../git/blame.ts';
import type { Commit } from '../../../git/objects.ts';
import { shape } from '../../../http/endpoint/answers.ts';
import type { LocatedFile } from './locate.ts';

export const RepositoryFile = shape('RepositoryFile', {
  file_name: Type.String(),
  file_path: Type.String(),
  size: Type.Integer(),
  encoding: Type.Literal('base64'),
  content_sha256: Type.String(),
  ref: Type.String(),
  blob_id: Type.String(),
  commit_id: Type.String(),
  last_commit_id: Type.String(),
  execute_filemode: Type.Boolean(),
  content: Type.String(),
});

export function fileEntity(file: LocatedFile, content: Buffer): Static<typeof RepositoryFile> {
  return {
    file_name: file.name.toWellFormed(),
    file_path: file.path.toWellFormed(),
    size: file.size,
    encoding: 'base64',
    content_sha256: file.sha256,
    ref: file.ref,
    blob_id: file.blobId,
    commit_id: file.commitId,
    last_commit_id: file.lastCommitId,
    execute_filemode: file.executable,
    content: content.toString('base64'),
  };
}

/** What writes answer, and nothing else. */
export const WrittenFile = shape('WrittenFile', { file_path: Type.String(), branch: Type.String() });

const BlamedCommit = shape('BlamedCommit', {
  id: Type.String(),
  parent_ids: Type.Array(Type.String()),
  message: Type.String(),
  authored_date: Type.String(),
  author_name: Type.String(),
  author_email: Type.String(),
  committed_date: Type.String(),
  committer_name: Type.String(),
  committer_email: Type.String(),
});

export const BlameRange = shape('BlameRange', { commit: BlamedCommit, lines: Type.Array(Type.String()) });

/** Commits by id are those that the groups name. */
export function blameEntities(
  groups: readonly BlamedLines[],
  commits: ReadonlyMap<string, Commit>,
): Static<typeof BlameRange>[] {
  return groups.map(({ commit, lines }) => ({ commit: blamedCommit(commits.get(commit)!), lines: [...lines] }));
}

function blamedCommit({ id, parentIds, message, author, committer }: Commit): Static<typeof BlamedCommit> {
  return {
    id,
    parent_ids: [...parentIds],
    message: message.toWellFormed(),
    authored_date: author.date,
    author_name: author.name.toWellFormed(),
    author_email: author.email.toWellFormed(),
    committed_date: committer.date,
    committer_name: committer.name.toWellFormed(),
    committer_email: committer.email.toWellFormed(),
  };
}
