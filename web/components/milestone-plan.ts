import { CallError, type Client, type Loaded } from '../api/call.ts';
import type { IssueInList, MergeRequestInList, Milestone } from '../api/operations.ts';
import type { Query } from '../api/query.ts';

/** A milestone with all that is to be finished for it. */
interface MilestonePlan {
  readonly milestone: Milestone;
  readonly issues: readonly IssueInList[];
  readonly mergeRequests: readonly MergeRequestInList[];
}

/** Declares the read of a milestone: its address has its number, but its lists take its id. */
export const milestonePlanQuery = ({
  find,
  listIssues,
  listMergeRequests,
}: {
  /** Lists the milestones with the number in the address. */
  readonly find: (client: Client) => Promise<Loaded<readonly Milestone[]>>;
  readonly listIssues: (client: Client, id: number) => Promise<Loaded<readonly IssueInList[]>>;
  readonly listMergeRequests: (client: Client, id: number) => Promise<Loaded<readonly MergeRequestInList[]>>;
}): Query<MilestonePlan> => ({
  refetchSeconds: null,
  load: async (client) => {
    const [milestone] = (await find(client)).value;
    if (milestone === undefined) throw new CallError(404, { message: '404 Milestone Not Found' });
    const [issues, mergeRequests] = await Promise.all([
      listIssues(client, milestone.id),
      listMergeRequests(client, milestone.id),
    ]);
    return { ...issues, value: { milestone, issues: issues.value, mergeRequests: mergeRequests.value }, etag: null };
  },
});
