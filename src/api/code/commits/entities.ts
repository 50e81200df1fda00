import { type Static, Type } from 'typebox';
import type { Commit as GitCommit } from '../../../git/objects.ts';
import type { Trailers } from '../../../git/trailers.ts';
import { shape } from '../../../http/endpoint/answers.ts';

/** Times of commits are shown in the commit's own offset. */
const commitTime = Type.String({ pattern: '^\\d{4,}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}[+-]\\d\\d:\\d\\d$' });

export const commitFields = {
  id: Type.String(),
  short_id: Type.String(),
  created_at: commitTime,
  parent_ids: Type.Array(Type.String()),
  title: Type.String(),
  message: Type.String(),
  author_name: Type.String(),
  author_email: Type.String(),
  authored_date: commitTime,
  committer_name: Type.String(),
  committer_email: Type.String(),
  committed_date: commitTime,
  trailers: Type.Record(Type.String(), Type.String()),
  extended_trailers: Type.Record(Type.String(), Type.Array(Type.String())),
  web_url: Type.String(),
};

/** A commit as branches, tags and lists show it (contract/repository.md §2). */
export const Commit = shape('Commit', commitFields);

/** What commit URLs begin with: the project's web address. */
export interface CommitContext {
  readonly projectUrl: string;
  /** By commit id; without it they are `{}`, as everywhere they are not asked for. */
  readonly trailers?: ReadonlyMap<string, Trailers>;
}

export function commitEntity(commit: GitCommit, { projectUrl, trailers }: CommitContext): Static<typeof Commit> {
  const { author, committer } = commit;
  const found = trailers?.get(commit.id);
  return {
    id: commit.id,
    short_id: commit.id.slice(0, 8),
    created_at: committer.date,
    parent_ids: [...commit.parentIds],
    title: commit.title.toWellFormed(),
    message: commit.message.toWellFormed(),
    author_name: author.name.toWellFormed(),
    author_email: author.email.toWellFormed(),
    authored_date: author.date,
    committer_name: committer.name.toWellFormed(),
    committer_email: committer.email.toWellFormed(),
    committed_date: committer.date,
    trailers: { ...found?.trailers },
    extended_trailers: Object.fromEntries(
      Object.entries(found?.extendedTrailers ?? {}).map(([key, values]) => [key, [...values]]),
    ),
    web_url: `${projectUrl}/-/commit/${commit.id}`,
  };
}
