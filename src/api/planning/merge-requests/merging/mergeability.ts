import type { MergeCheck, MergeRequestState, MergeStatus } from '#database/tables/merge-requests.ts';
import type { PipelineStatus } from '#database/tables/pipelines.ts';
import { keptAtMost } from '#runtime/bounded-cache.ts';
import { readExpression } from '#text/safe-regex.ts';

/** Whether a merge request can be merged, and if not what stands first in the way (contract/planning.md §1, §3.8 "Checks"). */

/** In the order in which they are looked for; `unchecked`: all else holds, and git has not been asked yet. */
export type DetailedStatus =
  | 'not_open'
  | 'draft_status'
  | 'commits_status'
  | 'discussions_not_resolved'
  | 'title_regex'
  | 'conflict'
  | 'need_rebase'
  | 'ci_still_running'
  | 'ci_must_pass'
  | 'unchecked'
  | 'mergeable';

export const DETAILED_STATUSES = [
  'not_open',
  'draft_status',
  'commits_status',
  'discussions_not_resolved',
  'title_regex',
  'conflict',
  'need_rebase',
  'ci_still_running',
  'ci_must_pass',
  'unchecked',
  'mergeable',
] as const satisfies readonly DetailedStatus[];

/** What is looked at: the row, what git says of its branches (null: not asked), and what its project wants. */
export interface Checked {
  readonly state: MergeRequestState;
  readonly draft: boolean;
  /** The title is one that the project wants (`hasWantedTitle`). */
  readonly titled: boolean;
  readonly check: MergeCheck | null;
  /** A thread is open, which need not be known where nobody asks that all are resolved. */
  readonly threadsOpen: boolean;
  /** Of its head, which need not be known where nobody asks that one succeeds; null: there is none. */
  readonly pipeline: PipelineStatus | null;
  readonly wants: MergeSettings;
}

/** What a project, and what is above it, says of merging. */
export interface MergeSettings {
  readonly merge_method: 'merge' | 'rebase_merge' | 'ff';
  readonly squash_option: 'never' | 'always' | 'default_on' | 'default_off';
  readonly only_allow_merge_if_pipeline_succeeds: boolean;
  readonly allow_merge_on_skipped_pipeline: boolean | null;
  readonly only_allow_merge_if_all_discussions_are_resolved: boolean;
  readonly merge_request_title_regex: string | null;
}

/** What stands in the way, in order. */
export function obstacles({ state, draft, titled, check, threadsOpen, pipeline, wants }: Checked): DetailedStatus[] {
  const holds: Record<Exclude<DetailedStatus, 'mergeable'>, boolean> = {
    not_open: state !== 'opened',
    draft_status: draft,
    commits_status: check === 'no_commits',
    discussions_not_resolved: threadsOpen && wants.only_allow_merge_if_all_discussions_are_resolved,
    title_regex: !titled,
    conflict: check === 'conflict',
    need_rebase: wants.merge_method !== 'merge' && (check === 'diverged' || check === 'conflict'),
    ci_still_running: holdsBack(pipeline, wants) && pipeline !== null && !FINISHED.includes(pipeline),
    ci_must_pass: holdsBack(pipeline, wants),
    unchecked: check === null,
  };
  return DETAILED_STATUSES.filter((status) => status !== 'mergeable' && holds[status]);
}

const FINISHED: readonly PipelineStatus[] = ['success', 'failed', 'canceled', 'skipped'];

/** Must a pipeline succeed that has not? */
export function holdsBack(
  pipeline: PipelineStatus | null,
  {
    only_allow_merge_if_pipeline_succeeds: mustSucceed,
    allow_merge_on_skipped_pipeline: mayBeSkipped,
  }: Pick<MergeSettings, 'only_allow_merge_if_pipeline_succeeds' | 'allow_merge_on_skipped_pipeline'>,
): boolean {
  return mustSucceed && pipeline !== 'success' && !(pipeline === 'skipped' && mayBeSkipped === true);
}

export function detailedStatus(checked: Checked): DetailedStatus {
  return obstacles(checked)[0] ?? 'mergeable';
}

/** How merging is refused: what must be there is asked for first, then conflicts, then whether the branch has stayed behind. */
export function mergeFailure(checked: Checked): 'notMergeable' | 'conflict' | null {
  const [first, ...others] = obstacles(checked);
  if (first === undefined) return null;
  const more = others.some((status) => status !== 'need_rebase');
  return first === 'conflict' && !more ? 'conflict' : 'notMergeable';
}

/** What the project says of all of them stands before what is said of one. */
export function squashes(wanted: boolean, { squash_option }: Pick<MergeSettings, 'squash_option'>): boolean {
  return squash_option === 'always' || (wanted && squash_option !== 'never');
}

/** As the entity's `merge_status` says it. */
export function mergeStatus(check: MergeCheck | null): MergeStatus {
  if (check === null) return 'unchecked';
  return check === 'ahead' || check === 'diverged' ? 'can_be_merged' : 'cannot_be_merged';
}

const expressions = keptAtMost<ReturnType<typeof readExpression>>(100);

/** Whether a title matches what the project wants of titles: some milliseconds where that is made to take long. */
export function hasWantedTitle(
  title: string,
  { merge_request_title_regex: wanted }: Pick<MergeSettings, 'merge_request_title_regex'>,
): boolean {
  if (wanted === null || wanted === '') return true;
  const expression = expressions.get(wanted) ?? readExpression(wanted);
  expressions.set(wanted, expression);
  return typeof expression !== 'string' && expression.matcher(title).find();
}
