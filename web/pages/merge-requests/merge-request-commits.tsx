import { toPath } from '../../addresses.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { CommitRows } from '../../components/commit-rows.tsx';
import { MergeRequestNavigation, mergeRequestQueries } from '../../components/merge-request-navigation.tsx';
import { Pager } from '../../components/pager.tsx';
import { page } from '../../page.ts';

/** The commits that a merge request adds to its target branch. */
export const mergeRequestCommits = page('mergeRequestCommits', {
  queries: ({ values: { project: id = '', merge_request_iid = '' }, search }) => ({
    ...mergeRequestQueries(id, merge_request_iid),
    commits: query('GET /projects/:id/merge_requests/:merge_request_iid/commits', {
      id,
      merge_request_iid,
      page: readPageNumber(search),
    }),
  }),
  title: ({ mergeRequest }) => mergeRequest.value.title,
  navigation: (props) => <MergeRequestNavigation {...props} current="mergeRequestCommits" />,
  render: ({ project, mergeRequest, commits, location, location: { search, toUrl, values } }) => (
    <>
      {commits.value.length === 0 ? (
        <p class="quiet">
          {mergeRequest.value.source_branch} has no commits that {mergeRequest.value.target_branch} lacks.
        </p>
      ) : (
        <CommitRows commits={commits.value} project={project.value.path_with_namespace} location={location} />
      )}
      <Pager list={commits} search={search} href={toUrl(toPath('mergeRequestCommits', values))} />
    </>
  ),
});
