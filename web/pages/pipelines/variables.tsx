import { toPath } from '../../addresses.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { CiVariables } from '../../components/ci-variables.tsx';
import { PipelinesNavigation } from '../../components/pipelines-navigation.tsx';
import { projectQueries } from '../../components/project-navigation.tsx';
import { page } from '../../page.ts';

/** The CI/CD variables of a project. */
export const variables = page('variables', {
  queries: ({ values: { project: id = '' }, search }) => ({
    ...projectQueries(id),
    variables: query('GET /projects/:id/variables', { id, page: readPageNumber(search) }),
  }),
  title: () => 'CI/CD variables',
  navigation: (props) => <PipelinesNavigation {...props} current="variables" />,
  render: ({ project, variables, location }) => (
    <CiVariables
      owner={{ type: 'project', id: project.value.id }}
      variables={variables}
      href={location.toUrl(toPath('variables', location.values))}
      location={location}
    />
  ),
});
