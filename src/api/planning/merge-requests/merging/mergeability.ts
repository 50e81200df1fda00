import type { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import type { MergeCheck, MergeRequestState, MergeStatus, PipelineStatus } from '#database/schema.ts';
import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { compileRegex } from '#text/safe-regex.ts';

// Whether a merge request can be merged, and if not, the first obstacle (contract/planning.md §1, §3.8 "Checks").

/** Statuses in the order of the checks. `unchecked`: all other checks pass, and the git check has not run yet. */
export const DETAILED_STATUSES = [
  'not_open',
  'merge_time',
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
] as const;
export type DetailedStatus = (typeof DETAILED_STATUSES)[number];

/** Input of the checks: columns of the merge request, the git result (null if unknown), and the project's merge settings. */
export interface MergeChecks {
  readonly state: MergeRequestState;
  readonly draft: boolean;
  /** Whether the merge request may be merged only later (`isTooEarly`). */
  readonly isTooEarly: boolean;
  /** Whether the title matches the project's regex (`isTitleAllowed`). */
  readonly titleMatches: boolean;
  readonly check: MergeCheck | null;
  /** Whether a thread is open; may be false if resolved threads are not required. */
  readonly threadsOpen: boolean;
  /** Status of the head pipeline; null if there is none, or if none is required. */
  readonly pipeline: PipelineStatus | null;
  readonly settings: MergeSettings;
}

/** Merge settings of a project and its ancestor groups. */
export type MergeSettings = Pick<
  ReturnType<typeof parseStoredAttributes>,
  | 'merge_method'
  | 'squash_option'
  | 'only_allow_merge_if_pipeline_succeeds'
  | 'allow_merge_on_skipped_pipeline'
  | 'only_allow_merge_if_all_discussions_are_resolved'
  | 'merge_request_title_regex'
>;

/** Returns the obstacles to a merge, in order. */
export function findObstacles({
  state,
  draft,
  isTooEarly,
  titleMatches,
  check,
  threadsOpen,
  pipeline,
  settings,
}: MergeChecks): DetailedStatus[] {
  const isObstacle: Record<Exclude<DetailedStatus, 'mergeable'>, boolean> = {
    not_open: state !== 'opened',
    merge_time: isTooEarly,
    draft_status: draft,
    commits_status: check === 'no_commits',
    discussions_not_resolved: threadsOpen && settings.only_allow_merge_if_all_discussions_are_resolved,
    title_regex: !titleMatches,
    conflict: check === 'conflict',
    need_rebase: settings.merge_method !== 'merge' && (check === 'diverged' || check === 'conflict'),
    ci_still_running:
      isBlockedByPipeline(pipeline, settings) && pipeline !== null && !FINISHED_PIPELINE_STATUSES.includes(pipeline),
    ci_must_pass: isBlockedByPipeline(pipeline, settings),
    unchecked: check === null,
  };
  return DETAILED_STATUSES.filter((status) => status !== 'mergeable' && isObstacle[status]);
}

const FINISHED_PIPELINE_STATUSES: readonly PipelineStatus[] = ['success', 'failed', 'canceled', 'skipped'];

/** Returns whether the time after which the merge request may be merged is still to come. */
export const isTooEarly = ({ merge_after: time }: { readonly merge_after: string | null }, now: string): boolean =>
  time !== null && time > now;

/** Returns whether a required pipeline has not succeeded. */
export function isBlockedByPipeline(
  pipeline: PipelineStatus | null,
  {
    only_allow_merge_if_pipeline_succeeds: mustSucceed,
    allow_merge_on_skipped_pipeline: mayBeSkipped,
  }: Pick<MergeSettings, 'only_allow_merge_if_pipeline_succeeds' | 'allow_merge_on_skipped_pipeline'>,
): boolean {
  return mustSucceed && pipeline !== 'success' && !(pipeline === 'skipped' && mayBeSkipped === true);
}

/** Returns the first obstacle, or `mergeable`. */
export function getDetailedStatus(checks: MergeChecks): DetailedStatus {
  return findObstacles(checks)[0] ?? 'mergeable';
}

/** Returns the failure of a merge, or null if there is none: `conflict` if a needed rebase is the only other obstacle. */
export function getMergeFailure(checks: MergeChecks): 'notMergeable' | 'conflict' | null {
  const [firstObstacle, ...otherObstacles] = findObstacles(checks);
  if (firstObstacle === undefined) return null;
  const hasOtherObstacles = otherObstacles.some((status) => status !== 'need_rebase');
  return firstObstacle === 'conflict' && !hasOtherObstacles ? 'conflict' : 'notMergeable';
}

/** Returns whether to squash. The project setting overrides the choice of the merge request. */
export function isSquashed(requested: boolean, { squash_option }: Pick<MergeSettings, 'squash_option'>): boolean {
  return squash_option === 'always' || (requested && squash_option !== 'never');
}

/** Converts the result of the git check to the `merge_status` of the API. */
export function toMergeStatus(check: MergeCheck | null): MergeStatus {
  if (check === null) return 'unchecked';
  return check === 'ahead' || check === 'diverged' ? 'can_be_merged' : 'cannot_be_merged';
}

/** Compiled regexes by pattern. An invalid pattern has an error text instead and matches no title. */
const regexesByPattern = createBoundedCache<ReturnType<typeof compileRegex>>(100);

/** Results by regex and title, because lists match the same titles again and again. */
const titleResults = createBoundedCache<{ readonly allowed: boolean }>(5_000);

/** Returns whether a title matches the project's regex. A hostile regex takes at most a few milliseconds, once per title. */
export function isTitleAllowed(
  title: string,
  { merge_request_title_regex: pattern }: Pick<MergeSettings, 'merge_request_title_regex'>,
): boolean {
  if (pattern === null || pattern === '') return true;
  const key = `${pattern}\n${title}`;
  const cachedResult = titleResults.get(key);
  if (cachedResult !== undefined) return cachedResult.allowed;
  const regex = regexesByPattern.get(pattern) ?? compileRegex(pattern);
  regexesByPattern.set(pattern, regex);
  const allowed = typeof regex !== 'string' && regex.matcher(title).find();
  titleResults.set(key, { allowed });
  return allowed;
}
