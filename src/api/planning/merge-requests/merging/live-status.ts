import type { MergeRequestRow } from '#authorization/merge-requests.ts';
import { mayReadPipelines } from '#authorization/pipelines.ts';
import type { MergeCheck, MergeStatus } from '#database/schema.ts';
import { findProjects, type Project } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { runOrNullIfOverLimit } from '#git/process/failures.ts';
import type { SerializationContext } from '#http/endpoint/entity.ts';
import { mayMergeInto } from '#repositories/ref-updates/ref-permissions.ts';
import { QueueFull } from '#runtime/concurrency-limiter.ts';
import { loadLatestVersions } from '../store.ts';
import { diffComparison, formatFileCount, resolveComparison } from '../versions.ts';
import { compareBranches, countDivergedCommits } from './branch-comparison.ts';
import { toMergeStatus } from './mergeability.ts';

/** Loads the current git state and permissions by merge request id. Merge requests of deleted projects are omitted. */
export const loadLiveStatuses = (rows: readonly MergeRequestRow[], context: SerializationContext) =>
  loadForEach(rows, context, loadLiveStatus);

/** Loads the current `merge_status` by merge request id. */
export const loadMergeStatuses = (rows: readonly MergeRequestRow[], context: SerializationContext) =>
  loadForEach(rows, context, loadMergeStatus);

async function loadForEach<T>(
  rows: readonly MergeRequestRow[],
  context: SerializationContext,
  load: (row: MergeRequestRow, project: Project, context: SerializationContext) => Promise<T>,
): Promise<ReadonlyMap<number, T>> {
  const { db, caller } = context;
  const projects = await findProjects(db, caller, [...new Set(rows.map(({ project_id }) => project_id))]);
  const projectsById = new Map(projects.map((project) => [project.id, project]));
  const resultsById = new Map<number, T>();
  for (const row of rows) {
    const project = projectsById.get(row.project_id);
    if (project !== undefined) resultsById.set(row.id, await load(row, project, context));
  }
  return resultsById;
}

/** Loads the current git state of a merge request, and the caller's permissions. A value is null if git exceeds its limits. */
async function loadLiveStatus(row: MergeRequestRow, project: Project, context: SerializationContext) {
  const { db, git, caller, params } = context;
  const [version] = await loadLatestVersions(db, [row.id]);
  const comparison = await nullIfOverLimit(context, () => resolveComparison(git, project, row, version));
  return {
    /** Whether the branches can be merged; the stored result if the merge request is not open. */
    check:
      row.state === 'opened' ? await nullIfOverLimit(context, () => checkBranches(git, project, row)) : row.merge_check,
    comparison: comparison ?? { head: version?.head_commit_sha ?? row.head_sha, base: null, start: null },
    /** Number of changed files. */
    changesCount:
      version?.real_size ??
      (comparison &&
        (await nullIfOverLimit(context, async () => formatFileCount(await diffComparison(git, project, comparison))))),
    mayReadPipelines: mayReadPipelines(caller, project),
    mayMerge: caller.user !== null && (await mayMergeInto(db, caller, project, row.target_branch)),
    /** Number of target branch commits that the head lacks; null if not requested. */
    divergedCommits:
      params.include_diverged_commits_count === true
        ? await nullIfOverLimit(context, () => countDivergedCommits(git, project, row))
        : null,
  };
}

async function loadMergeStatus(
  row: MergeRequestRow,
  project: Project,
  context: SerializationContext,
): Promise<MergeStatus> {
  if (row.state !== 'opened') return row.merge_status;
  return toMergeStatus(await nullIfOverLimit(context, () => checkBranches(context.git, project, row)));
}

async function checkBranches(git: Git, project: Project, row: MergeRequestRow): Promise<MergeCheck> {
  return (await compareBranches(git, project, row)).check;
}

/**
 * Returns null if git exceeds its limits or its queue is full, so that a merge request can always be read. A full queue is
 * temporary, so reading `context.now` keeps the response out of the cache.
 */
async function nullIfOverLimit<T>(context: SerializationContext, callGit: () => Promise<T>): Promise<T | null> {
  try {
    return await runOrNullIfOverLimit(callGit);
  } catch (error) {
    if (error instanceof QueueFull && context.now) return null;
    throw error;
  }
}
