import { toPath } from '../../addresses.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { CiVariables } from '../../components/ci-variables.tsx';
import { GroupNavigation, groupQueries } from '../../components/group-navigation.tsx';
import { page } from '../../page.ts';

/** The CI/CD variables of a group, which jobs of all projects below it get. */
export const groupVariables = page('groupVariables', {
  queries: ({ values: { group: id = '' }, search }) => ({
    ...groupQueries(id),
    variables: query('GET /groups/:id/variables', { id, page: readPageNumber(search) }),
  }),
  title: () => 'CI/CD variables',
  navigation: (props) => <GroupNavigation {...props} current="groupVariables" />,
  render: ({ group, variables, location }) => (
    <CiVariables
      owner={{ type: 'group', id: group.value.id }}
      variables={variables}
      href={location.toUrl(toPath('groupVariables', location.values))}
      location={location}
    />
  ),
});
