import { toPath } from '../../addresses.ts';
import { query } from '../../api/query.ts';
import { Empty } from '../../components/empty.tsx';
import { Pager } from '../../components/pager.tsx';
import { ProjectNavigation } from '../../components/project-navigation.tsx';
import { RefRows } from '../../components/ref-rows.tsx';
import { page } from '../../page.ts';

/** The branches of a repository, most recently changed first. */
export const branches = page('branches', {
  queries: ({ values: { project: id = '' }, search }) => ({
    project: query('GET /projects/:id', { id }),
    branches: query('GET /projects/:id/repository/branches', {
      id,
      sort: 'updated_desc',
      page: Math.max(1, Number(search.get('page')) || 1),
    }),
  }),
  title: () => 'Branches',
  navigation: ({ project, location }) => (
    <ProjectNavigation project={project.value} location={location} current="branches" />
  ),
  render: ({ project: { value: project }, branches, location, location: { search, toUrl, values, session } }) =>
    branches.value.length === 0 ? (
      <Empty
        title="No branches"
        text="Lines of work appear here."
        request={`curl --request POST --header "PRIVATE-TOKEN: $TOKEN" --data 'branch=fix&ref=main' ${session.origin}${toUrl(`/api/v4/projects/${project.id}/repository/branches`)}`}
      />
    ) : (
      <>
        <RefRows refs={branches.value} project={project.path_with_namespace} location={location} />
        <Pager list={branches} search={search} href={toUrl(toPath('branches', values))} />
      </>
    ),
});
