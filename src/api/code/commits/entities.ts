import { Type } from 'typebox';
import { mayReadPipelines, newestOfCommits } from '#authorization/pipelines.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { readTrailers, type Trailers } from '#git/commits/trailers.ts';
import { diffStats, type FileDiff } from '#git/diff/diff.ts';
import type { Commit as GitCommit } from '#git/objects/object-reader.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';
import { type Placed, projectUrl, repositoryOf } from '#repositories/repository.ts';
import { firstBytes, firstCharacters } from '#text/trim.ts';
import { PipelineBasic, type PipelineBasicRow } from '../pipeline-summaries/index.ts';

/** Times of commits are shown in the commit's own offset. */
const commitTime = Type.String({ pattern: '^\\d{4,}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}[+-]\\d\\d:\\d\\d$' });

const fields = {
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

/** A commit, in the project that shows it: nothing of a commit says where it is. */
export interface CommitRow {
  readonly commit: GitCommit;
  readonly project: Placed & { readonly id: number; readonly full_path: string };
}

/** A commit as branches, tags and comparisons show it (contract/repository.md §2). */
export const Commit = entity('Commit', fields).from(({ commit, project }: CommitRow, to) =>
  commitShape(listed(commit), projectUrl({ baseUrl: to.url }, project)),
);

/** What git has brought in, as long as lists show it (contract/conventions.md §3 "Limits of texts"). */
function listed(commit: GitCommit): GitCommit {
  const { title, message, author, committer } = commit;
  const signer = ({ name, email, ...when }: GitCommit['author']) => ({
    ...when,
    name: firstCharacters(name, LONGEST_NAME),
    email: firstCharacters(email, LONGEST_NAME),
  });
  return {
    ...commit,
    title: firstCharacters(title, LONGEST_NAME),
    message: firstBytes(message, LONGEST_MESSAGE),
    author: signer(author),
    committer: signer(committer),
  };
}

/** In characters. */
const LONGEST_NAME = 255;
/** In bytes. */
const LONGEST_MESSAGE = 1024 * 1024;
const LONGEST_PATH = 4096;

/** Trailers are `{}` wherever nobody asks for them. */
function commitShape(commit: GitCommit, projectUrl: string, trailers?: Trailers) {
  const { author, committer } = commit;
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
    trailers: { ...trailers?.trailers },
    extended_trailers: Object.fromEntries(
      Object.entries(trailers?.extendedTrailers ?? {}).map(([key, values]) => [key, [...values]]),
    ),
    web_url: `${projectUrl}/-/commit/${commit.id}`,
  };
}

const CommitStats = entity('CommitStats', {
  additions: Type.Integer(),
  deletions: Type.Integer(),
  total: Type.Integer(),
});

/** In lists: trailers for those who ask with `trailers`, `stats` for those who ask with `with_stats`. */
export const CommitInList = entity('CommitInList', { ...fields, stats: Type.Optional(CommitStats.schema) }).from(
  async (rows: readonly CommitRow[], to) => ({
    trailers: to.params.trailers ? await ofAll(rows, to, readTrailers) : null,
    stats: to.params.with_stats ? await ofAll(rows, to, diffStats) : null,
  }),
  ({ commit, project }, to, { trailers, stats }) => ({
    ...commitShape(listed(commit), projectUrl({ baseUrl: to.url }, project), trailers?.get(commit.id)),
    ...(stats && { stats: { ...stats.get(commit.id)! } }),
  }),
);

export interface CommitDetailRow extends CommitRow {
  readonly project: Project;
  /** Show how many lines it changes? */
  readonly stats: boolean;
}

/** A commit alone (contract/repository.md §4); its newest pipeline is shown to whoever may read pipelines. */
export const CommitDetail = entity('CommitDetail', {
  ...fields,
  stats: Type.Optional(CommitStats.schema),
  status: nullable(Type.String()),
  project_id: Type.Integer(),
  last_pipeline: nullable(PipelineBasic.schema),
}).from(
  async (rows: readonly CommitDetailRow[], to) => ({
    stats: await ofAll(
      rows.filter(({ stats }) => stats),
      to,
      diffStats,
    ),
    pipelines: await lastPipelines(rows, to),
  }),
  (row, to, { stats, pipelines }) => {
    const pipeline = pipelines.get(row.commit.id);
    return {
      ...commitShape(row.commit, projectUrl({ baseUrl: to.url }, row.project)),
      ...(row.stats && { stats: { ...stats.get(row.commit.id)! } }),
      status: pipeline?.status ?? null,
      project_id: row.project.id,
      last_pipeline: pipeline === undefined ? null : PipelineBasic.serialize(pipeline, to),
    };
  },
);

/** Those of a list's rows, which are one project's; none to who may not read them. */
async function lastPipelines(
  rows: readonly CommitDetailRow[],
  { db, caller }: SerializationContext,
): Promise<ReadonlyMap<string, PipelineBasicRow>> {
  const project = rows[0]?.project;
  if (project === undefined || !mayReadPipelines(caller, project)) return new Map();
  return newestOfCommits(
    db,
    project.id,
    rows.map(({ commit }) => commit.id),
  );
}

/** What git tells of commits, asked once for all rows of a list, which are one project's. */
async function ofAll<Told>(
  rows: readonly CommitRow[],
  { git }: SerializationContext,
  ask: (
    git: SerializationContext['git'],
    repository: ReturnType<typeof repositoryOf>,
    ids: string[],
  ) => Promise<Map<string, Told>>,
): Promise<Map<string, Told>> {
  const project = rows[0]?.project;
  if (project === undefined) return new Map();
  return ask(
    git,
    repositoryOf(git, project),
    rows.map(({ commit }) => commit.id),
  );
}

/** What changed in one file (contract/repository.md §4). A mode is `0` where the file is not. */
export const Diff = entity('Diff', {
  diff: Type.String(),
  collapsed: Type.Boolean(),
  too_large: Type.Boolean(),
  new_path: Type.String(),
  old_path: Type.String(),
  a_mode: Type.String(),
  b_mode: Type.String(),
  new_file: Type.Boolean(),
  renamed_file: Type.Boolean(),
  deleted_file: Type.Boolean(),
  generated_file: Type.Null(),
}).from((file: FileDiff, { params: { unidiff } }) => ({
  // With `unidiff` the lines `---` and `+++` stand above the hunks.
  diff: unidiff ? file.header + file.text : file.text,
  collapsed: file.collapsed,
  too_large: file.tooLarge,
  new_path: firstBytes(file.newPath.toWellFormed(), LONGEST_PATH),
  old_path: firstBytes(file.oldPath.toWellFormed(), LONGEST_PATH),
  a_mode: file.aMode,
  b_mode: file.bMode,
  new_file: file.newFile,
  renamed_file: file.renamedFile,
  deleted_file: file.deletedFile,
  generated_file: null,
}));

/** A full ref name as what it is. */
export const CommitRef = entity('CommitRef', { type: Type.Enum(['branch', 'tag']), name: Type.String() }).from(
  (ref: string) => {
    const [, kind, name = ''] = /^refs\/(heads|tags)\/(.*)$/s.exec(ref) ?? [];
    return { type: kind === 'tags' ? ('tag' as const) : ('branch' as const), name };
  },
);

export const DryRun = entity('DryRun', { dry_run: Type.Literal('success') });
