import { toPath } from '../../addresses.ts';
import { query } from '../../api/query.ts';
import { GroupNavigation, groupQueries } from '../../components/group-navigation.tsx';
import { MergeRequestList, readMergeRequestFilters } from '../../components/merge-request-list.tsx';
import { page } from '../../page.ts';

/** The merge requests of all projects of a group and its subgroups. */
export const groupMergeRequests = page('groupMergeRequests', {
  queries: ({ values: { group: id = '' }, search }) => ({
    ...groupQueries(id),
    mergeRequests: query('GET /groups/:id/merge_requests', { id, ...readMergeRequestFilters(search) }),
  }),
  title: () => 'Merge requests',
  navigation: (props) => <GroupNavigation {...props} current="groupMergeRequests" />,
  render: ({ group, mergeRequests, location, location: { values, toUrl } }) => (
    <MergeRequestList
      mergeRequests={mergeRequests}
      parent={{ type: 'group', id: group.value.id }}
      href={toUrl(toPath('groupMergeRequests', values))}
      location={location}
      empty={
        <div class="empty">
          <p class="empty-title">No merge requests</p>
          <p class="quiet">
            Merge requests of the projects of this group that match the filters appear here. They are created in a
            project.
          </p>
        </div>
      }
    />
  ),
});
