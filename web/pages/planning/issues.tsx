import { toPath } from '../../addresses.ts';
import { query } from '../../api/query.ts';
import { Empty } from '../../components/empty.tsx';
import { ISSUE_LIST, listIssueStates, readIssueCountFilters } from '../../components/issue-list.ts';
import { ItemFilters, readItemFilters } from '../../components/item-filters.tsx';
import { ItemRows } from '../../components/item-rows.tsx';
import { Pager } from '../../components/pager.tsx';
import { can, ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { page } from '../../page.ts';

/** The issues of a project. */
export const issues = page('issues', {
  queries: ({ values: { project: id = '' }, search }) => ({
    ...projectQueries(id),
    issues: query('GET /projects/:id/issues', { id, ...readItemFilters(search, ISSUE_LIST) }),
    counts: query('GET /projects/:id/issues_statistics', { id, ...readIssueCountFilters(search) }),
  }),
  title: () => 'Issues',
  navigation: (props) => <ProjectNavigation {...props} current="issues" />,
  render: ({ project: { value: project }, abilities, issues, counts, location, location: { values, toUrl } }) => {
    const href = toUrl(toPath('issues', values));
    return (
      <>
        {can(abilities, 'create_issue') ? (
          <p>
            <a class="button" href={toUrl(toPath('newIssue', values))}>
              New issue
            </a>
          </p>
        ) : null}
        <ItemFilters
          options={{ ...ISSUE_LIST, states: listIssueStates(counts.value.statistics.counts) }}
          parent={{ type: 'project', id: project.id }}
          action={href}
          location={location}
        />
        {issues.value.length === 0 ? (
          <Empty
            title="No issues"
            text="Tasks, faults and ideas that match the filters appear here."
            create={{ path: `/projects/${project.id}/issues`, data: 'title=The grate rattles' }}
            location={location}
          />
        ) : (
          <ItemRows items={issues.value} listHref={href} />
        )}
        <Pager list={issues} search={location.search} href={href} />
      </>
    );
  },
});
