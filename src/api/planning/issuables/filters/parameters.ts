import { Type } from 'typebox';
import type { Caller } from '#authentication/caller.ts';
import { type AccessCall, open } from '#http/access/access.ts';
import { unauthorized } from '#http/errors/http-error.ts';
import { describe, optional } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { searchExpression, string } from '#http/parameters/texts.ts';
import { absentIfBlank, commaSeparated, dateTime, integer, oneOf } from '#http/parameters/types.ts';
import type { IdOrKeyword } from './conditions.ts';
import type { FilterKeyword } from './row-conditions.ts';

// Filter parameters that lists of issues and merge requests share (contract/planning.md §3.6, §3.8).

/** An integer, or one of these keywords, ignoring case. */
export function integerOrKeyword<const Keyword extends string>(
  ...keywords: readonly Keyword[]
): ParameterType<number | Keyword> {
  return {
    schema: Type.Union([Type.Integer(), Type.Enum([...keywords])]),
    read(raw, name, problems) {
      const keyword =
        typeof raw === 'string'
          ? keywords.find((candidate) => candidate.toLowerCase() === raw.toLowerCase())
          : undefined;
      return keyword ?? integer.read(raw, name, problems);
    },
  };
}

/** An id, `None` or `Any`. */
export const idOrKeyword: ParameterType<IdOrKeyword> = integerOrKeyword<FilterKeyword>('None', 'Any');

/** Filters that can be negated. A blank username or title has no effect. */
export const negatableFilterParams = {
  labels: describe(
    optional(commaSeparated(string)),
    'Titles of labels; all must match. `None` or `Any`: without or with a label.',
  ),
  milestone: describe(
    optional(absentIfBlank(string)),
    'Title of a milestone. `None` or `Any`: without or with a milestone.',
  ),
  iids: optional(commaSeparated(integer)),
  author_id: optional(integer),
  author_username: optional(absentIfBlank(string)),
  assignee_id: describe(optional(idOrKeyword), 'ID of a user. `None` or `Any`: without or with an assignee.'),
  assignee_username: describe(
    optional(commaSeparated(string)),
    'Usernames; all must be assigned. `None` or `Any`: without or with an assignee.',
  ),
  my_reaction_emoji: describe(
    optional(absentIfBlank(string)),
    'Name of an emoji that the caller has added. `None` or `Any`: without or with one.',
  ),
};

/** Filters by text and by timestamps, which cannot be negated. */
export const searchAndTimeParams = {
  search: describe(
    optional(searchExpression),
    'Words that must all occur in one of the searched fields, ignoring case. Words in double quotes are a phrase.',
  ),
  in: describe(
    optional(commaSeparated(oneOf('title', 'description'))),
    'Fields that `search` covers, by default both.',
  ),
  created_after: optional(dateTime),
  created_before: optional(dateTime),
  updated_after: optional(dateTime),
  updated_before: optional(dateTime),
};

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

/** Returns the parent of a list of all projects. Archived projects are excluded unless `nonArchived` is false. */
export const toAllProjectsParent = (nonArchived: boolean | null) =>
  ({ group: null, nonArchived: nonArchived !== false }) as const;
