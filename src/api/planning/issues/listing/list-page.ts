import { allIn, seenIn, type ThingsOf } from '#api/planning/issuables/index.ts';
import { iterationsAreThere } from '#api/planning/iteration-cadences/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import type { Parent } from '#http/access/parents.ts';
import type { Page } from '#http/lists/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { IssueListed } from '../entities.ts';
import { countIssues, type IssueFilter, listIssues } from './list.ts';
import type { IssueOrder } from './parameters.ts';

/** A list as it is asked for: what the tier lacks is not looked at. */

export const TOO_MANY_ASSIGNEES = {
  tooManyAssignees: [400, { error: 'assignee_username allows one value, but found {count}: {names}' }],
} as const;

interface Asked {
  readonly caller: Caller;
  readonly tier: Tier;
}

type Wish = Omit<IssueFilter, 'premium'>;
type Ordered = Wish & { readonly order_by: IssueOrder; readonly sort: 'asc' | 'desc' };

export async function listedIssues(
  db: Reader,
  { caller, tier }: Asked,
  of: ThingsOf,
  wish: Ordered,
  page: OffsetRequest,
): Promise<Page<IssueListed> | Failure<'tooManyAssignees'>> {
  const refusal = assigneesFailure(tier, wish);
  if (refusal) return refusal;
  await currentOnesAreThere(db, of, wish);
  const ordering = { order: wish.order_by, direction: wish.sort };
  return seenIn(of, await listIssues(db, caller, of, { ...wish, premium: tier !== 'free' }, ordering, page));
}

/** Those of a milestone that the caller may read, whatever their state. */
export async function issuesOfMilestone(
  db: Reader,
  caller: Caller,
  place: Pick<Parent, 'project' | 'group'>,
  { id }: { readonly id: number },
  page: OffsetRequest,
): Promise<Page<IssueListed>> {
  const of = allIn(place);
  const ordering = { order: 'milestone_issues', direction: 'asc' } as const;
  return seenIn(of, await listIssues(db, caller, of, { ofMilestone: id, premium: false }, ordering, page));
}

export async function countedIssues(db: Reader, { caller, tier }: Asked, of: ThingsOf, wish: Wish) {
  const refusal = assigneesFailure(tier, wish);
  if (refusal) return refusal;
  await currentOnesAreThere(db, of, wish);
  return countIssues(db, caller, of, { ...wish, premium: tier !== 'free' });
}

/** Which iterations are current changes at midnight. */
async function currentOnesAreThere(db: Reader, of: ThingsOf, { iteration_id: id, not }: Wish): Promise<void> {
  if (id !== 'Current' && not?.iteration_id !== 'Current') return;
  await iterationsAreThere(db, of.project?.namespace_id ?? of.group?.id ?? null);
}

/** On free an issue has one assignee: nobody asks for several. */
function assigneesFailure(tier: Tier, { assignee_username: names }: Wish): Failure<'tooManyAssignees'> | undefined {
  if (tier !== 'free' || (names?.length ?? 0) < 2) return undefined;
  return fail('tooManyAssignees', { count: names?.length, names: names?.join(', ') });
}
