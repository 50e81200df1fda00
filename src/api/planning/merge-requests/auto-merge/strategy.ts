import type { PipelineStatus } from '#database/schema.ts';
import { type DetailedStatus, findObstacles, isBlockedByPipeline, type MergeChecks } from '../merging/mergeability.ts';

/** Statuses that only another head or target branch can fix. A change of either aborts auto-merge. */
const FINAL_STATUSES: readonly DetailedStatus[] = [
  'not_open',
  'commits_status',
  'conflict',
  'need_rebase',
  'unchecked',
];

/** Statuses of pipelines that are still in progress. */
const ACTIVE_PIPELINE_STATUSES: readonly (PipelineStatus | null)[] = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
];

/** Returns whether a pipeline with this status is in progress; null: there is none. */
export const isPipelineActive = (status: PipelineStatus | null) => ACTIVE_PIPELINE_STATUSES.includes(status);

/**
 * Decides whether a request for auto-merge merges now, merges later, or fails because there is nothing to wait for. The checks must
 * contain the pipeline even if the project does not require one. contract/planning.md §3.8 "Auto-merge"
 */
export function decideAutoMerge(mergeChecks: MergeChecks): 'now' | 'later' | 'not' {
  const obstacles = findObstacles(mergeChecks);
  if (obstacles.some((status) => FINAL_STATUSES.includes(status))) return 'not';
  if (obstacles.length > 0 || isPipelineActive(mergeChecks.pipeline)) return 'later';
  return mergeChecks.pipeline === 'success' ? 'now' : 'not';
}

/** Returns whether all requirements are fulfilled. */
export function isReadyToAutoMerge(mergeChecks: MergeChecks): boolean {
  const { pipeline, settings } = mergeChecks;
  const hasPassed = pipeline === null || pipeline === 'success' || isSkippedPipelineAccepted({ pipeline, settings });
  return hasPassed && findObstacles(mergeChecks).length === 0;
}

/** Returns whether the pipeline was skipped and the project accepts that. */
const isSkippedPipelineAccepted = ({ pipeline, settings }: Pick<MergeChecks, 'pipeline' | 'settings'>) =>
  pipeline === 'skipped' && settings.only_allow_merge_if_pipeline_succeeds && !isBlockedByPipeline(pipeline, settings);
