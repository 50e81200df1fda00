import type { ComponentChildren } from 'preact';
import type { Loaded } from '../api/call.ts';
import type { MergeRequestInList, MergeRequestSimple } from '../api/operations.ts';
import type { PageLocation } from '../page.ts';
import { ItemFilters, readItemFilters } from './item-filters.tsx';
import { type ItemParent, UserPicker } from './item-pickers.tsx';
import { ItemRows } from './item-rows.tsx';
import { Pager } from './pager.tsx';

/** Lists of merge requests of projects and groups. */

const LIST = {
  states: [
    ['opened', 'open'],
    ['merged', 'merged'],
    ['closed', 'closed'],
    ['all', 'all'],
  ],
  orders: [
    ['created_at', 'created'],
    ['updated_at', 'updated'],
    ['merged_at', 'merged'],
    ['title', 'title'],
    ['priority', 'priority'],
    ['milestone_due', 'milestone due date'],
    ['popularity', 'popularity'],
  ],
} as const;

const TEXT_FILTERS = ['reviewer_username', 'source_branch', 'target_branch'] as const;

type TextFilters = { readonly [Name in (typeof TEXT_FILTERS)[number]]?: string };

/** Returns the parameters of a list of merge requests in an address. */
export function readMergeRequestFilters(search: URLSearchParams) {
  const texts = TEXT_FILTERS.flatMap((name) => (search.get(name) ? [[name, search.get(name)] as const] : []));
  const draft = search.get('draft');
  return {
    ...readItemFilters(search, LIST),
    ...(Object.fromEntries(texts) as TextFilters),
    ...(draft === 'true' || draft === 'false' ? { draft: draft === 'true' } : {}),
  };
}

/** The filters and rows of a list of merge requests; `empty` is shown if there are no rows. */
export function MergeRequestList({
  mergeRequests,
  parent,
  href,
  location,
  empty,
}: {
  readonly mergeRequests: Loaded<readonly (MergeRequestInList | MergeRequestSimple)[]>;
  readonly parent: ItemParent;
  /** The address of the list without parameters. */
  readonly href: string;
  readonly location: PageLocation;
  readonly empty: ComponentChildren;
}) {
  const { search } = location;
  const reviewer = search.get('reviewer_username') ?? '';
  const draft = search.get('draft') ?? '';
  // Only lists with `view=simple` have the short form.
  const items = mergeRequests.value as readonly MergeRequestInList[];
  return (
    <>
      <ItemFilters options={LIST} parent={parent} action={href} location={location}>
        <UserPicker
          label="Reviewer"
          parent={parent}
          name="reviewer_username"
          value="username"
          selected={reviewer === '' ? [] : [{ id: 0, name: reviewer, username: reviewer }]}
          empty="anybody"
        />
        <label>
          Target branch <input name="target_branch" value={search.get('target_branch') ?? ''} />
        </label>
        <label>
          Draft{' '}
          <select name="draft">
            {DRAFT_CHOICES.map(([value, text]) => (
              <option key={value} value={value} selected={value === draft}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </ItemFilters>
      {items.length === 0 ? empty : <ItemRows items={items} listHref={href} extra={describeBranches} />}
      <Pager list={mergeRequests} search={search} href={href} />
    </>
  );
}

const DRAFT_CHOICES = [
  ['', 'any'],
  ['false', 'no'],
  ['true', 'yes'],
] as const;

const describeBranches = ({ source_branch, target_branch, reviewers }: MergeRequestInList) => (
  <>
    <span>
      <bdi>{source_branch}</bdi> → <bdi>{target_branch}</bdi>
    </span>
    {reviewers.length === 0 ? null : (
      <span>
        reviewed by <bdi>{reviewers.map(({ name }) => name).join(', ')}</bdi>
      </span>
    )}
  </>
);
