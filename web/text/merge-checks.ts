import { formatRelativeTime } from './time.ts';

/** Why a merge request cannot be merged, as sentences. */

/** The fields of a merge request, as the API returns them, that decide whether it can be merged. */
export interface MergeState {
  readonly state: string;
  readonly draft: boolean;
  readonly source_branch: string;
  readonly target_branch: string;
  /** The first check that is not met, or `mergeable`. */
  readonly detailed_merge_status: string;
  readonly merge_after: string | null;
  readonly has_conflicts: boolean;
  /** False if threads are open and the project requires that they are resolved. */
  readonly blocking_discussions_resolved: boolean;
  /** The number of changed files; null or `0` for branches without changes. */
  readonly changes_count: string | null;
  readonly head_pipeline: { readonly status: string } | null;
  /** The number of commits of the target branch that the source branch lacks. */
  readonly diverged_commits_count?: number | null;
  readonly rebase_in_progress?: boolean;
  readonly user: { readonly can_merge: boolean };
}

/** The settings of the project that a merge depends on. */
export interface MergeSettings {
  readonly archived?: boolean;
  readonly merge_method?: string;
  readonly only_allow_merge_if_pipeline_succeeds?: boolean;
  readonly allow_merge_on_skipped_pipeline?: boolean | null;
  readonly merge_request_title_regex?: string | null;
  readonly merge_request_title_regex_description?: string | null;
}

interface MergeObstacle {
  /** A value of `detailed_merge_status`, or a check that only this page performs. */
  readonly check: string;
  /** A sentence. */
  readonly reason: string;
  /** Whether auto-merge waits for the check; other obstacles need another commit, branch or caller. */
  readonly canWait: boolean;
}

/**
 * Returns every known reason why the caller cannot merge now, the most general first. The API names only the first check that is
 * not met, so the others are derived from the merge request and its project.
 */
export function listMergeObstacles(
  mergeRequest: MergeState,
  settings: MergeSettings,
  { now, approvalsLeft, mayReadPipelines }: MergeContext,
): readonly MergeObstacle[] {
  const { state, user, target_branch, rebase_in_progress } = mergeRequest;
  const obstacles: (MergeObstacle | null)[] = [
    state === 'opened' ? null : final('not_open', `The merge request is ${state}.`),
    settings.archived ? final('archived', 'The project is archived.') : null,
    user.can_merge || settings.archived
      ? null
      : final('not_allowed', `You are not allowed to merge into ${target_branch}.`),
    rebase_in_progress ? final('rebasing', 'The source branch is being rebased.') : null,
    ...CHECKS.map(({ check, applies, reason, isFinal = false }) =>
      mergeRequest.detailed_merge_status === check || applies(mergeRequest, settings, { now, mayReadPipelines })
        ? { check, reason: reason(mergeRequest, settings, now), canWait: !isFinal }
        : null,
    ),
    approvalsLeft > 0
      ? { check: 'approvals', reason: `It needs ${approvalsLeft} more approvals.`, canWait: true }
      : null,
  ];
  const found = obstacles.filter((obstacle) => obstacle !== null);
  const { detailed_merge_status: status } = mergeRequest;
  const isKnown = status === 'mergeable' || found.some(({ check }) => check === status);
  return isKnown ? found : [...found, final(status, `A check is not met: ${status.replaceAll('_', ' ')}.`)];
}

const final = (check: string, reason: string): MergeObstacle => ({ check, reason, canWait: false });

interface MergeContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly approvalsLeft: number;
  /** Without this ability the pipeline of the merge request is unknown. */
  readonly mayReadPipelines: boolean;
}

interface Check {
  /** The value of `detailed_merge_status`. */
  readonly check: string;
  readonly applies: (
    mergeRequest: MergeState,
    settings: MergeSettings,
    context: Omit<MergeContext, 'approvalsLeft'>,
  ) => boolean;
  readonly reason: (mergeRequest: MergeState, settings: MergeSettings, now: number) => string;
  readonly isFinal?: boolean;
}

/** The checks that a merge request can fail, in the order of the API. */
const CHECKS: readonly Check[] = [
  {
    check: 'merge_time',
    applies: ({ merge_after }, _settings, { now }) => merge_after !== null && Date.parse(merge_after) > now,
    reason: ({ merge_after }, _settings, now) =>
      merge_after === null
        ? 'It may be merged only later.'
        : `It may be merged only ${formatRelativeTime(merge_after, now)}.`,
  },
  {
    check: 'draft_status',
    applies: ({ draft }) => draft,
    reason: () => 'It is a draft. Mark it as ready first.',
  },
  {
    check: 'commits_status',
    applies: (mergeRequest) => mergeRequest.has_conflicts && !hasChanges(mergeRequest),
    reason: ({ source_branch, target_branch }) =>
      `${source_branch} has no commits that ${target_branch} lacks, or one of the branches does not exist.`,
    isFinal: true,
  },
  {
    check: 'discussions_not_resolved',
    applies: ({ blocking_discussions_resolved }) => !blocking_discussions_resolved,
    reason: () => 'The project requires that all threads are resolved, and some are open.',
  },
  {
    check: 'title_regex',
    applies: () => false,
    reason: (_mergeRequest, { merge_request_title_regex: regex, merge_request_title_regex_description: text }) =>
      `The title does not have the form that the project requires: ${text || regex || 'see its settings'}.`,
  },
  {
    check: 'conflict',
    applies: (mergeRequest) => mergeRequest.has_conflicts && hasChanges(mergeRequest),
    reason: ({ source_branch, target_branch }) =>
      `The branches have conflicts. Merge ${target_branch} into ${source_branch}, or rebase it, and resolve them.`,
    isFinal: true,
  },
  {
    check: 'need_rebase',
    applies: ({ diverged_commits_count }, { merge_method = 'merge' }) =>
      merge_method !== 'merge' && (diverged_commits_count ?? 0) > 0,
    reason: ({ source_branch, target_branch }) =>
      `The project merges without merge commits, and ${source_branch} lacks commits of ${target_branch}. Rebase it first.`,
    isFinal: true,
  },
  {
    check: 'ci_still_running',
    applies: ({ head_pipeline }, settings, { mayReadPipelines }) =>
      mayReadPipelines && isBlockedByPipeline(head_pipeline, settings) && isPipelineUnfinished(head_pipeline),
    reason: () => 'The project requires that the pipeline succeeds, and it has not finished.',
  },
  {
    check: 'ci_must_pass',
    applies: ({ head_pipeline }, settings, { mayReadPipelines }) =>
      mayReadPipelines && isBlockedByPipeline(head_pipeline, settings) && !isPipelineUnfinished(head_pipeline),
    reason: ({ head_pipeline }) =>
      head_pipeline === null
        ? 'The project requires that a pipeline succeeds, and there is none.'
        : `The project requires that the pipeline succeeds, and it is ${head_pipeline.status}.`,
  },
  {
    check: 'unchecked',
    applies: () => false,
    reason: () => 'Whether the branches can be merged has not been checked yet.',
    isFinal: true,
  },
];

const hasChanges = ({ changes_count }: MergeState): boolean => changes_count !== null && changes_count !== '0';

const isBlockedByPipeline = (
  pipeline: MergeState['head_pipeline'],
  {
    only_allow_merge_if_pipeline_succeeds: mustSucceed = false,
    allow_merge_on_skipped_pipeline: mayBeSkipped = false,
  }: MergeSettings,
): boolean =>
  mustSucceed && pipeline?.status !== 'success' && !(pipeline?.status === 'skipped' && mayBeSkipped === true);

const isPipelineUnfinished = (pipeline: MergeState['head_pipeline']): boolean =>
  pipeline !== null && !['success', 'failed', 'canceled', 'skipped'].includes(pipeline.status);

/** Returns whether a pipeline runs or is about to: auto-merge waits for it even if the project does not require it. */
export const isPipelineActive = (pipeline: MergeState['head_pipeline']): boolean =>
  isPipelineUnfinished(pipeline) && !['manual', 'scheduled', 'canceling'].includes(pipeline!.status);
