import { toPath } from '../../addresses.ts';
import { query } from '../../api/query.ts';
import { GroupNavigation, groupQueries } from '../../components/group-navigation.tsx';
import { ISSUE_LIST, listIssueStates, readIssueCountFilters } from '../../components/issue-list.ts';
import { ItemFilters, readItemFilters } from '../../components/item-filters.tsx';
import { ItemRows } from '../../components/item-rows.tsx';
import { Pager } from '../../components/pager.tsx';
import { page } from '../../page.ts';

/** The issues of all projects of a group and its subgroups. */
export const groupIssues = page('groupIssues', {
  queries: ({ values: { group: id = '' }, search }) => ({
    ...groupQueries(id),
    issues: query('GET /groups/:id/issues', { id, ...readItemFilters(search, ISSUE_LIST) }),
    counts: query('GET /groups/:id/issues_statistics', { id, ...readIssueCountFilters(search) }),
  }),
  title: () => 'Issues',
  navigation: (props) => <GroupNavigation {...props} current="groupIssues" />,
  render: ({ group, issues, counts, location, location: { values, toUrl } }) => {
    const href = toUrl(toPath('groupIssues', values));
    return (
      <>
        <ItemFilters
          options={{ ...ISSUE_LIST, states: listIssueStates(counts.value.statistics.counts) }}
          parent={{ type: 'group', id: group.value.id }}
          action={href}
          location={location}
        />
        {issues.value.length === 0 ? (
          <div class="empty">
            <p class="empty-title">No issues</p>
            <p class="quiet">
              Issues of the projects of this group that match the filters appear here. Issues are created in a project.
            </p>
          </div>
        ) : (
          <ItemRows items={issues.value} listHref={href} />
        )}
        <Pager list={issues} search={location.search} href={href} />
      </>
    );
  },
});
