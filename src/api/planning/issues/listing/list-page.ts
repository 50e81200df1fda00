import { type IssuableListParent, toListParent, withReferenceContext } from '#api/planning/issuables/index.ts';
import { assertIterationsScheduled } from '#api/planning/iteration-cadences/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import type { Parent } from '#http/access/parents.ts';
import type { ListPage, OffsetRequest, PageRequest } from '#http/lists/pagination.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { IssueListRow } from '../entities.ts';
import { countIssues, type IssueFilter, listIssues } from './list.ts';
import type { IssueOrder } from './parameters.ts';

/** Error for several assignees on the free tier. */
export const TOO_MANY_ASSIGNEES = {
  tooManyAssignees: [400, { error: 'assignee_username allows one value, but found {count}: {names}' }],
} as const;

/** The caller of a list, and the tier of the server. */
interface ListCaller {
  readonly caller: Caller;
  readonly tier: Tier;
}

type IssueFilterInput = Omit<IssueFilter, 'premium'>;
type OrderedIssueFilterInput = IssueFilterInput & { readonly order_by: IssueOrder; readonly sort: 'asc' | 'desc' };

/** Returns a page of issues. Ignores filters that the tier does not include. */
export async function listIssuesPage(
  db: Reader,
  { caller, tier }: ListCaller,
  parent: IssuableListParent,
  filter: OrderedIssueFilterInput,
  page: PageRequest,
): Promise<ListPage<IssueListRow> | Failure<'tooManyAssignees'>> {
  const failure = failOnSeveralAssignees(tier, filter);
  if (failure) return failure;
  await assertCurrentIterationsScheduled(db, parent, filter);
  const ordering = { order: filter.order_by, direction: filter.sort };
  return withReferenceContext(
    parent,
    await listIssues(db, caller, parent, { ...filter, premium: tier !== 'free' }, ordering, page),
  );
}

/** Returns a page of the milestone's issues, in any state, that the caller may read. */
export async function listIssuesOfMilestone(
  db: Reader,
  caller: Caller,
  parent: Pick<Parent, 'project' | 'group'>,
  { id }: { readonly id: number },
  page: OffsetRequest,
): Promise<ListPage<IssueListRow>> {
  const listParent = toListParent(parent);
  const ordering = { order: 'milestone_issues', direction: 'asc' } as const;
  return withReferenceContext(
    listParent,
    await listIssues(db, caller, listParent, { scopeMilestoneId: id, premium: false }, ordering, page),
  );
}

/** Returns the numbers of open and closed issues that match the filter. */
export async function getIssueCounts(
  db: Reader,
  { caller, tier }: ListCaller,
  parent: IssuableListParent,
  filter: IssueFilterInput,
) {
  const failure = failOnSeveralAssignees(tier, filter);
  if (failure) return failure;
  await assertCurrentIterationsScheduled(db, parent, filter);
  return countIssues(db, caller, parent, { ...filter, premium: tier !== 'free' });
}

/** Asserts that automatic iterations are scheduled up to today if the filter uses the current iteration, which changes at midnight. */
async function assertCurrentIterationsScheduled(
  db: Reader,
  parent: IssuableListParent,
  { iteration_id: id, not }: IssueFilterInput,
): Promise<void> {
  if (id !== 'Current' && not?.iteration_id !== 'Current') return;
  await assertIterationsScheduled(db, parent.project?.namespace_id ?? parent.group?.id ?? null);
}

/** Fails if several assignees are requested on the free tier, where an issue has only one. */
function failOnSeveralAssignees(
  tier: Tier,
  { assignee_username: names }: IssueFilterInput,
): Failure<'tooManyAssignees'> | undefined {
  if (tier !== 'free' || (names?.length ?? 0) < 2) return undefined;
  return fail('tooManyAssignees', { count: names?.length, names: names?.join(', ') });
}
