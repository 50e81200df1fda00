import { toPath } from '../../addresses.ts';
import { query } from '../../api/query.ts';
import { Empty } from '../../components/empty.tsx';
import { Pager } from '../../components/pager.tsx';
import { ProjectNavigation } from '../../components/project-navigation.tsx';
import { RefRows } from '../../components/ref-rows.tsx';
import { page } from '../../page.ts';

/** The tags of a repository, newest first. */
export const tags = page('tags', {
  queries: ({ values: { project: id = '' }, search }) => ({
    project: query('GET /projects/:id', { id }),
    tags: query('GET /projects/:id/repository/tags', {
      id,
      order_by: 'updated',
      page: Math.max(1, Number(search.get('page')) || 1),
    }),
  }),
  title: () => 'Tags',
  navigation: ({ project, location }) => (
    <ProjectNavigation project={project.value} location={location} current="tags" />
  ),
  render: ({ project: { value: project }, tags, location, location: { search, toUrl, values, session } }) =>
    tags.value.length === 0 ? (
      <Empty
        title="No tags"
        text="Named commits, such as releases, appear here."
        request={`curl --request POST --header "PRIVATE-TOKEN: $TOKEN" --data 'tag_name=v1.0&ref=main' ${session.origin}${toUrl(`/api/v4/projects/${project.id}/repository/tags`)}`}
      />
    ) : (
      <>
        <RefRows refs={tags.value} project={project.path_with_namespace} location={location} />
        <Pager list={tags} search={search} href={toUrl(toPath('tags', values))} />
      </>
    ),
});
