import type { MergeRequestRow } from '#authorization/merge-requests.ts';
import { mayReadPipelines } from '#authorization/pipelines.ts';
import type { MergeCheck, MergeStatus } from '#database/tables/merge-requests.ts';
import { findProjects, type Project } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { unlessOverLimit } from '#git/process/failures.ts';
import type { SerializationContext } from '#http/endpoint/entity.ts';
import { mayMergeInto } from '#repositories/ref-updates/ref-permissions.ts';
import { QueueFull } from '#runtime/concurrency-limiter.ts';
import { latestVersions } from '../store.ts';
import { changesOf, realSize, type Span, spanOf } from '../versions/versions.ts';
import { countDiverged, lookAtBranches } from './branch-comparison.ts';
import { mergeStatus } from './mergeability.ts';

/** What git says of a merge request that is shown alone, at this moment, and what its caller may. */
export interface LookedInto {
  /** As it is stored where it is open no more; null: git could not tell in time. */
  readonly check: MergeCheck | null;
  /** With its head alone where git could not tell in time. */
  readonly span: Span;
  /** How many files are changed; null: git could not tell in time. */
  readonly size: string | null;
  readonly mayMerge: boolean;
  readonly mayReadPipelines: boolean;
  /** Of the target branch, which the head lacks; null: nobody asks, or git could not tell in time. */
  readonly diverged: number | null;
}

/** By the ids of the merge requests; those whose projects are gone are left out. */
export const lookInto = (rows: readonly MergeRequestRow[], to: SerializationContext) => ofEach(rows, to, lookIntoOne);

/** What `merge_status` says of each of them at this moment. */
export const mergeStatusNow = (rows: readonly MergeRequestRow[], to: SerializationContext) =>
  ofEach(rows, to, statusOf);

async function ofEach<T>(
  rows: readonly MergeRequestRow[],
  to: SerializationContext,
  look: (row: MergeRequestRow, project: Project, to: SerializationContext) => Promise<T>,
): Promise<ReadonlyMap<number, T>> {
  const { db, caller } = to;
  const projects = await findProjects(db, caller, [...new Set(rows.map(({ project_id }) => project_id))]);
  const byId = new Map(projects.map((project) => [project.id, project]));
  const found = new Map<number, T>();
  for (const row of rows) {
    const project = byId.get(row.project_id);
    if (project !== undefined) found.set(row.id, await look(row, project, to));
  }
  return found;
}

async function lookIntoOne(row: MergeRequestRow, project: Project, to: SerializationContext): Promise<LookedInto> {
  const { db, git, caller, params } = to;
  const [version] = await latestVersions(db, [row.id]);
  const span = await unlessTooDear(to, () => spanOf(git, project, row, version));
  return {
    check: row.state === 'opened' ? await unlessTooDear(to, () => checkOf(git, project, row)) : row.merge_check,
    span: span ?? { head: version?.head_commit_sha ?? row.head_sha, base: null, start: null },
    size:
      version?.real_size ??
      (span && (await unlessTooDear(to, async () => realSize(await changesOf(git, project, span))))),
    mayReadPipelines: mayReadPipelines(caller, project),
    mayMerge: caller.user !== null && (await mayMergeInto(db, caller, project, row.target_branch)),
    diverged:
      params.include_diverged_commits_count === true
        ? await unlessTooDear(to, () => countDiverged(git, project, row))
        : null,
  };
}

async function statusOf(row: MergeRequestRow, project: Project, to: SerializationContext): Promise<MergeStatus> {
  if (row.state !== 'opened') return row.merge_status;
  return mergeStatus(await unlessTooDear(to, () => checkOf(to.git, project, row)));
}

async function checkOf(git: Git, project: Project, row: MergeRequestRow): Promise<MergeCheck> {
  return (await lookAtBranches(git, project, row)).check;
}

/**
 * Who only wants to read a merge request reads it, however large it is and however many wait. That they wait is true of this
 * moment only.
 */
async function unlessTooDear<T>(to: SerializationContext, ask: () => Promise<T>): Promise<T | null> {
  try {
    return await unlessOverLimit(ask);
  } catch (error) {
    if (error instanceof QueueFull && to.now) return null;
    throw error;
  }
}
