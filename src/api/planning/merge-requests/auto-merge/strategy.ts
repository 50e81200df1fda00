import type { PipelineStatus } from '#database/tables/pipelines.ts';
import { type Checked, type DetailedStatus, holdsBack, obstacles } from '../merging/mergeability.ts';

/** What only another head or another target branch can put right, which is the end of an automatic merge. */
const FOR_GOOD: readonly DetailedStatus[] = ['not_open', 'commits_status', 'conflict', 'need_rebase', 'unchecked'];

/** A pipeline that goes on by itself. */
const COMING: readonly (PipelineStatus | null)[] = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
];

/**
 * How one is merged that shall be as soon as it can: at once, later, or not, because there is nothing to wait for. Its pipeline is
 * known, whatever its project wants. contract/planning.md §3.8 "Auto-merge"
 */
export function autoMergeWay(checked: Checked): 'now' | 'later' | 'not' {
  const found = obstacles(checked);
  if (found.some((status) => FOR_GOOD.includes(status))) return 'not';
  if (found.length > 0 || COMING.includes(checked.pipeline)) return 'later';
  return checked.pipeline === 'success' ? 'now' : 'not';
}

/** Has all come that was waited for? */
export function isReady(checked: Checked): boolean {
  const { pipeline, wants } = checked;
  const hasPassed = pipeline === null || pipeline === 'success' || maySkip({ pipeline, wants });
  return hasPassed && obstacles(checked).length === 0;
}

/** It was skipped, which its project takes for success. */
const maySkip = ({ pipeline, wants }: Pick<Checked, 'pipeline' | 'wants'>) =>
  pipeline === 'skipped' && wants.only_allow_merge_if_pipeline_succeeds && !holdsBack(pipeline, wants);
