import { toPath } from '../../addresses.ts';
import { query } from '../../api/query.ts';
import { GroupNavigation, groupQueries } from '../../components/group-navigation.tsx';
import { MilestoneList, readMilestoneFilters } from '../../components/milestone-list.tsx';
import { can } from '../../components/project-navigation.tsx';
import { type PageLocation, type PageProps, page, usePageActions } from '../../page.ts';

const queries = ({ values: { group: id = '' }, search }: PageLocation) => ({
  ...groupQueries(id),
  milestones: query('GET /groups/:id/milestones', { id, ...readMilestoneFilters(search) }),
});

/** The milestones of a group and of the groups above. */
export const groupMilestones = page('groupMilestones', {
  queries,
  title: () => 'Milestones',
  navigation: (props) => <GroupNavigation {...props} current="groupMilestones" />,
  render: (props) => <GroupMilestonesContent {...props} />,
});

function GroupMilestonesContent({
  group: {
    value: { id },
  },
  abilities,
  milestones,
  location,
}: PageProps<typeof queries>) {
  const { client } = usePageActions();
  return (
    <MilestoneList
      milestones={milestones}
      create={
        can(abilities, 'admin_milestone')
          ? (attributes) => client.call('POST /groups/:id/milestones', { id, ...attributes })
          : null
      }
      href={location.toUrl(toPath('groupMilestones', location.values))}
      apiPath={`/groups/${id}/milestones`}
      location={location}
    />
  );
}
