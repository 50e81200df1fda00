import type { Caller } from '#authentication/caller.ts';
import { type AccessCall, open } from '#http/access/access.ts';
import { unauthorized } from '#http/errors/http-error.ts';
import { oneOf } from '#http/parameters/types.ts';

/** Values of the parameter `scope`; old clients write hyphens. */
const SCOPES = ['created_by_me', 'assigned_to_me', 'created-by-me', 'assigned-to-me', 'all'] as const;

/** Parameter `scope` of lists of issues: created by the caller, assigned to the caller, or all that the caller may read. */
export const scopeType = oneOf(...SCOPES);

/** Parameter `scope` of lists of merge requests, which the caller may also review. */
export const mergeRequestScopeType = oneOf(...SCOPES, 'reviews_for_me');

/** Requires a signed-in caller unless the scope is `all`. */
export const scopeAccess = () => ({
  ...open()
    .require(({ caller, params }) => {
      if (caller.user === null && params.scope !== 'all') throw unauthorized();
    })
    .withLabel('open (scope=all), user'),
  // The same check on the raw query: 401 comes before 400 for invalid parameters.
  authenticate({ caller, request }: AccessCall) {
    if (caller.user === null && new URLSearchParams(request.query).get('scope') !== 'all') throw unauthorized();
  },
});

interface ScopeFilter {
  /** Id of the author. */
  readonly scopeAuthorId?: number;
  /** Id of an assignee. */
  readonly scopeAssigneeId?: number;
  /** Id of a reviewer. */
  readonly scopeReviewerId?: number;
}

/** Returns the filter by author, assignee or reviewer for the scope. Anonymous callers match nothing. */
export function toScopeFilter({ user }: Caller, { scope }: { readonly scope: string }): ScopeFilter {
  const userId = user?.id ?? 0;
  switch (scope.replaceAll('-', '_')) {
    case 'created_by_me':
      return { scopeAuthorId: userId };
    case 'assigned_to_me':
      return { scopeAssigneeId: userId };
    case 'reviews_for_me':
      return { scopeReviewerId: userId };
    default:
      return {};
  }
}

/** Returns the container of an instance-wide list; archived projects are excluded unless `nonArchived` is false. */
export const toAllProjectsParent = (nonArchived: boolean | null) =>
  ({ group: null, nonArchived: nonArchived !== false }) as const;
