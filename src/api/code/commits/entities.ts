import { Type } from 'typebox';
import { loadNewestPipelines, mayReadPipelines } from '#authorization/pipelines.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { readTrailers, type Trailers } from '#git/commits/trailers.ts';
import { type FileDiff, type Diff as GitDiff, getDiffStats } from '#git/diff/diff.ts';
import type { Commit as GitCommit } from '#git/objects/object-reader.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';
import { type ListPage, type PageRequest, paginateInMemory } from '#http/lists/pagination.ts';
import { buildProjectUrl, getRepository, type LocatedRepository } from '#repositories/repository.ts';
import { truncateToBytes, truncateToCharacters } from '#text/trim.ts';
import { PipelineBasic, type PipelineBasicRow } from '../pipeline-summaries/index.ts';

/** The timestamp of a commit, in the time zone of its author. */
const commitTime = Type.String({ pattern: '^\\d{4,}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}[+-]\\d\\d:\\d\\d$' });

const commitFields = {
  id: Type.String(),
  short_id: Type.String({ description: 'The first eight digits of `id`.' }),
  created_at: commitTime,
  parent_ids: Type.Array(Type.String()),
  title: Type.String({ description: 'First line of the message.' }),
  message: Type.String(),
  author_name: Type.String(),
  author_email: Type.String(),
  authored_date: commitTime,
  committer_name: Type.String(),
  committer_email: Type.String(),
  committed_date: commitTime,
  trailers: Type.Record(Type.String(), Type.String(), { description: 'Empty unless requested.' }),
  extended_trailers: Type.Record(Type.String(), Type.Array(Type.String()), {
    description: 'All values of each trailer; empty unless requested.',
  }),
  web_url: Type.String(),
};

/** A commit with the project that stores it. */
export interface CommitRow {
  readonly commit: GitCommit;
  readonly project: LocatedRepository & { readonly id: number; readonly full_path: string };
}

/** A commit in branches, tags and comparisons (contract/repository.md §2). */
export const Commit = entity('Commit', commitFields).from(({ commit, project }: CommitRow, context) =>
  toCommitFields(truncateTexts(commit), buildProjectUrl({ baseUrl: context.url }, project)),
);

/** Truncates texts to the limits for lists (contract/conventions.md §3 "Limits of texts"). */
function truncateTexts(commit: GitCommit): GitCommit {
  const { title, message, author, committer } = commit;
  const truncateSigner = ({ name, email, ...date }: GitCommit['author']) => ({
    ...date,
    name: truncateToCharacters(name, MAX_NAME_LENGTH),
    email: truncateToCharacters(email, MAX_NAME_LENGTH),
  });
  return {
    ...commit,
    title: truncateToCharacters(title, MAX_NAME_LENGTH),
    message: truncateToBytes(message, MAX_MESSAGE_BYTES),
    author: truncateSigner(author),
    committer: truncateSigner(committer),
  };
}

/** Maximum characters of titles, names and email addresses. */
const MAX_NAME_LENGTH = 255;
/** Maximum size of a message in a list. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Maximum size of a path in a diff. */
const MAX_PATH_BYTES = 4096;

/** Returns the fields of a commit. Trailers are `{}` unless they were requested. */
function toCommitFields(commit: GitCommit, projectUrl: string, trailers?: Trailers) {
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

/** A commit in a list, with trailers if `trailers` is set and `stats` if `with_stats` is set. */
export const CommitInList = entity('CommitInList', { ...commitFields, stats: Type.Optional(CommitStats.schema) }).from(
  async (rows: readonly CommitRow[], context) => ({
    trailers: context.params.trailers ? await loadForCommits(rows, context, readTrailers) : null,
    stats: context.params.with_stats ? await loadForCommits(rows, context, getDiffStats) : null,
  }),
  ({ commit, project }, context, { trailers, stats }) => ({
    ...toCommitFields(
      truncateTexts(commit),
      buildProjectUrl({ baseUrl: context.url }, project),
      trailers?.get(commit.id),
    ),
    ...(stats && { stats: { ...stats.get(commit.id)! } }),
  }),
);

/** A commit with everything that `CommitDetail` shows. */
export interface CommitDetailRow extends CommitRow {
  readonly project: Project;
  /** Whether to include the counts of changed lines. */
  readonly withStats: boolean;
}

/** A single commit (contract/repository.md §4). Its latest pipeline is included for callers who may read pipelines. */
export const CommitDetail = entity('CommitDetail', {
  ...commitFields,
  stats: Type.Optional(CommitStats.schema),
  status: nullable(Type.String({ description: 'Status of the last pipeline.' })),
  project_id: Type.Integer(),
  last_pipeline: nullable(PipelineBasic.schema),
}).from(
  async (rows: readonly CommitDetailRow[], context) => ({
    stats: await loadForCommits(
      rows.filter(({ withStats }) => withStats),
      context,
      getDiffStats,
    ),
    pipelines: await loadLastPipelines(rows, context),
  }),
  (row, context, { stats, pipelines }) => {
    const pipeline = pipelines.get(row.commit.id);
    return {
      ...toCommitFields(row.commit, buildProjectUrl({ baseUrl: context.url }, row.project)),
      ...(row.withStats && { stats: { ...stats.get(row.commit.id)! } }),
      status: pipeline?.status ?? null,
      project_id: row.project.id,
      last_pipeline: pipeline === undefined ? null : PipelineBasic.serialize(pipeline, context),
    };
  },
);

/** Loads the latest pipelines of commits of one project; none if the caller may not read pipelines. */
async function loadLastPipelines(
  rows: readonly CommitDetailRow[],
  { db, caller }: SerializationContext,
): Promise<ReadonlyMap<string, PipelineBasicRow>> {
  const project = rows[0]?.project;
  if (project === undefined || !mayReadPipelines(caller, project)) return new Map();
  return loadNewestPipelines(
    db,
    project.id,
    rows.map(({ commit }) => commit.id),
  );
}

/** Calls `load` once for all rows of a list. All rows belong to one project. */
async function loadForCommits<Value>(
  rows: readonly CommitRow[],
  { git }: SerializationContext,
  load: (
    git: SerializationContext['git'],
    repository: ReturnType<typeof getRepository>,
    ids: string[],
  ) => Promise<Map<string, Value>>,
): Promise<Map<string, Value>> {
  const project = rows[0]?.project;
  if (project === undefined) return new Map();
  return load(
    git,
    getRepository(git, project),
    rows.map(({ commit }) => commit.id),
  );
}

/** The change of one file (contract/repository.md §4). */
export const Diff = entity('Diff', {
  diff: Type.String({ description: 'Unified diff without file headers, unless `unidiff` is set.' }),
  collapsed: Type.Boolean({ description: 'Whether the diff was left out because all diffs together are too large.' }),
  too_large: Type.Boolean({ description: 'Whether the diff was left out because it is too large.' }),
  new_path: Type.String(),
  old_path: Type.String(),
  a_mode: Type.String({ description: 'Mode of the old file, `0` if there was none.' }),
  b_mode: Type.String({ description: 'Mode of the new file, `0` if there is none.' }),
  new_file: Type.Boolean(),
  renamed_file: Type.Boolean(),
  deleted_file: Type.Boolean(),
  generated_file: Type.Null(),
}).from((file: FileDiff, { params: { unidiff } }) => ({
  // With `unidiff` the header lines `---` and `+++` precede the hunks.
  diff: unidiff ? file.header + file.text : file.text,
  collapsed: file.collapsed,
  too_large: file.tooLarge,
  new_path: truncateToBytes(file.newPath.toWellFormed(), MAX_PATH_BYTES),
  old_path: truncateToBytes(file.oldPath.toWellFormed(), MAX_PATH_BYTES),
  a_mode: file.aMode,
  b_mode: file.bMode,
  new_file: file.newFile,
  renamed_file: file.renamedFile,
  deleted_file: file.deletedFile,
  // Generated files are not detected.
  generated_file: null,
}));

/** A full ref name, split into type and name. */
export const CommitRef = entity('CommitRef', { type: Type.Enum(['branch', 'tag']), name: Type.String() }).from(
  (ref: string) => {
    const [, kind, name = ''] = /^refs\/(heads|tags)\/(.*)$/s.exec(ref) ?? [];
    return { type: kind === 'tags' ? ('tag' as const) : ('branch' as const), name };
  },
);

/** The response to a successful dry run. */
export const DryRun = entity('DryRun', { dry_run: Type.Literal('success') });

/** Returns one page of the files. A diff that leaves files out has no total, because the number of all files is unknown. */
export function paginateDiff({ files, overflow }: GitDiff, page: PageRequest): ListPage<FileDiff> {
  const result = paginateInMemory(files, page);
  return overflow ? { ...result, total: null } : result;
}
