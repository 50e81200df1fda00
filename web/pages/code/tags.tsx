import { query, readPageNumber } from '../../api/query.ts';
import { ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { RefList } from '../../components/ref-list.tsx';
import { page } from '../../page.ts';

/** The tags of a repository, newest first. */
export const tags = page('tags', {
  queries: ({ values: { project: id = '' }, search }) => ({
    ...projectQueries(id),
    tags: query('GET /projects/:id/repository/tags', {
      id,
      order_by: 'updated',
      page: readPageNumber(search),
    }),
  }),
  title: () => 'Tags',
  navigation: (props) => <ProjectNavigation {...props} current="tags" />,
  render: ({ project, tags, location }) => (
    <RefList
      page="tags"
      refs={tags}
      project={project.value}
      location={location}
      empty={{
        title: 'No tags',
        text: 'Named commits, such as releases, appear here.',
        data: 'tag_name=v1.0&ref=main',
      }}
    />
  ),
});
