import { toPath } from '../../addresses.ts';
import { query } from '../../api/query.ts';
import { Empty } from '../../components/empty.tsx';
import { MergeRequestList, readMergeRequestFilters } from '../../components/merge-request-list.tsx';
import { can, ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { page } from '../../page.ts';

/** The merge requests of a project. */
export const mergeRequests = page('mergeRequests', {
  queries: ({ values: { project: id = '' }, search }) => ({
    ...projectQueries(id),
    mergeRequests: query('GET /projects/:id/merge_requests', { id, ...readMergeRequestFilters(search) }),
  }),
  title: () => 'Merge requests',
  navigation: (props) => <ProjectNavigation {...props} current="mergeRequests" />,
  render: ({ project: { value: project }, abilities, mergeRequests, location, location: { values, toUrl } }) => (
    <>
      {can(abilities, 'create_merge_request') ? (
        <p>
          <a class="button" href={toUrl(toPath('newMergeRequest', values))}>
            New merge request
          </a>
        </p>
      ) : null}
      <MergeRequestList
        mergeRequests={mergeRequests}
        parent={{ type: 'project', id: project.id }}
        href={toUrl(toPath('mergeRequests', values))}
        location={location}
        empty={
          <Empty
            title="No merge requests"
            text="Branches that are to be reviewed and merged, and match the filters, appear here."
            create={{
              path: `/projects/${project.id}/merge_requests`,
              data: 'title=Heat faster&source_branch=fix&target_branch=main',
            }}
            location={location}
          />
        }
      />
    </>
  ),
});
