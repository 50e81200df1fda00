import { query, readPageNumber } from '../../api/query.ts';
import { ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { RefList } from '../../components/ref-list.tsx';
import { page } from '../../page.ts';

/** The branches of a repository, most recently changed first. */
export const branches = page('branches', {
  queries: ({ values: { project: id = '' }, search }) => ({
    ...projectQueries(id),
    branches: query('GET /projects/:id/repository/branches', {
      id,
      sort: 'updated_desc',
      page: readPageNumber(search),
    }),
  }),
  title: () => 'Branches',
  navigation: (props) => <ProjectNavigation {...props} current="branches" />,
  render: ({ project, branches, location }) => (
    <RefList
      page="branches"
      refs={branches}
      project={project.value}
      location={location}
      empty={{ title: 'No branches', text: 'Lines of work appear here.', data: 'branch=fix&ref=main' }}
    />
  ),
});
