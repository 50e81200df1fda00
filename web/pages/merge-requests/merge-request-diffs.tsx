import { toPath } from '../../addresses.ts';
import type { Diff } from '../../api/operations.ts';
import { type LoadedQueries, NO_ROWS, query, queryAll, readPageNumber } from '../../api/query.ts';
import { DiffsWithThreads } from '../../components/line-threads.tsx';
import { createMergeRequestNoteable } from '../../components/merge-request-activity.ts';
import { MergeRequestNavigation, mergeRequestQueries } from '../../components/merge-request-navigation.tsx';
import { Pager } from '../../components/pager.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

/** The number of files of one page of changes. */
const FILES_PER_PAGE = 100;

const queries = ({ values, search, session }: PageLocation) => {
  const { project: id = '', merge_request_iid = '' } = values;
  return {
    ...mergeRequestQueries(id, merge_request_iid),
    diffs: query('GET /projects/:id/merge_requests/:merge_request_iid/diffs', {
      id,
      merge_request_iid,
      per_page: FILES_PER_PAGE,
      page: readPageNumber(search),
    }),
    // Visitors may not read threads.
    discussions:
      session.userId === null
        ? NO_ROWS
        : queryAll('GET /projects/:id/merge_requests/:merge_request_iid/discussions', { id, merge_request_iid }),
  };
};

/** The changes of a merge request, with threads on their lines. */
export const mergeRequestDiffs = page('mergeRequestDiffs', {
  queries,
  title: ({ mergeRequest }) => mergeRequest.value.title,
  navigation: (props) => <MergeRequestNavigation {...props} current="mergeRequestDiffs" />,
  render: (props) => <Changes {...props} />,
});

function Changes({
  project: { value: project },
  abilities,
  mergeRequest: { value: mergeRequest },
  diffs,
  discussions,
  location,
}: LoadedQueries<ReturnType<typeof queries>> & { readonly location: PageLocation }) {
  const { toUrl, search, values } = location;
  const actions = usePageActions();
  const path = project.path_with_namespace;
  const toFileUrl = ({ deleted_file, new_path }: Diff) =>
    deleted_file
      ? null
      : toUrl(toPath('file', { project: path, ref_file: `${mergeRequest.diff_refs.head_sha}/${new_path}` }));
  return (
    <>
      <DiffsWithThreads
        files={diffs.value}
        mergeRequest={mergeRequest}
        discussions={discussions.value}
        noteable={createMergeRequestNoteable(actions, project, abilities, mergeRequest)}
        location={location}
        toFileUrl={toFileUrl}
      />
      <Pager list={diffs} search={search} href={toUrl(toPath('mergeRequestDiffs', values))} />
    </>
  );
}
