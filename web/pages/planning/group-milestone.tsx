import { toPath } from '../../addresses.ts';
import { callAll } from '../../api/query.ts';
import { GroupNavigation, groupQueries } from '../../components/group-navigation.tsx';
import { MilestoneDetails } from '../../components/milestone-details.tsx';
import { milestonePlanQuery } from '../../components/milestone-plan.ts';
import { PlannedItems } from '../../components/planned-items.tsx';
import { can } from '../../components/project-navigation.tsx';
import { type PageLocation, type PageProps, page, usePageActions } from '../../page.ts';

const queries = ({ values: { group: id = '', milestone_iid = '' } }: PageLocation) => ({
  ...groupQueries(id),
  plan: milestonePlanQuery({
    find: (client) => client.call('GET /groups/:id/milestones', { id, iids: milestone_iid }),
    listIssues: (client, milestone_id) =>
      callAll(client, 'GET /groups/:id/milestones/:milestone_id/issues', { id, milestone_id }),
    listMergeRequests: (client, milestone_id) =>
      callAll(client, 'GET /groups/:id/milestones/:milestone_id/merge_requests', { id, milestone_id }),
  }),
});

/** A milestone of a group with its open and closed items. */
export const groupMilestone = page('groupMilestone', {
  queries,
  title: ({ plan }) => plan.value.milestone.title,
  navigation: (props) => <GroupNavigation {...props} current="groupMilestones" />,
  render: (props) => <GroupMilestoneContent {...props} />,
});

function GroupMilestoneContent({ group, abilities, plan, location }: PageProps<typeof queries>) {
  const { client, openUrl } = usePageActions();
  const { milestone, issues, mergeRequests } = plan.value;
  const path = { id: group.value.id, milestone_id: milestone.id };
  return (
    <>
      <MilestoneDetails
        milestone={milestone}
        calls={
          can(abilities, 'admin_milestone')
            ? {
                update: (attributes) =>
                  client.call('PUT /groups/:id/milestones/:milestone_id', { ...path, ...attributes }),
                remove: async () => {
                  await client.call('DELETE /groups/:id/milestones/:milestone_id', path);
                  openUrl(location.toUrl(toPath('groupMilestones', location.values)));
                },
              }
            : null
        }
        project={null}
        location={location}
      />
      <PlannedItems
        issues={issues}
        isPartial={plan.nextPage !== null}
        mergeRequests={mergeRequests}
        period={milestone}
      />
    </>
  );
}
