import { toPath } from '../../addresses.ts';
import { callAll } from '../../api/query.ts';
import { MilestoneDetails } from '../../components/milestone-details.tsx';
import { milestonePlanQuery } from '../../components/milestone-plan.ts';
import { PlannedItems } from '../../components/planned-items.tsx';
import { can, ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { type PageLocation, type PageProps, page, usePageActions } from '../../page.ts';

const queries = ({ values: { project: id = '', milestone_iid = '' } }: PageLocation) => ({
  ...projectQueries(id),
  plan: milestonePlanQuery({
    find: (client) => client.call('GET /projects/:id/milestones', { id, iids: milestone_iid }),
    listIssues: (client, milestone_id) =>
      callAll(client, 'GET /projects/:id/milestones/:milestone_id/issues', { id, milestone_id }),
    listMergeRequests: (client, milestone_id) =>
      callAll(client, 'GET /projects/:id/milestones/:milestone_id/merge_requests', { id, milestone_id }),
  }),
});

/** A milestone of a project with its open and closed items. */
export const milestone = page('milestone', {
  queries,
  title: ({ plan }) => plan.value.milestone.title,
  navigation: (props) => <ProjectNavigation {...props} current="milestones" />,
  render: (props) => <MilestoneContent {...props} />,
});

function MilestoneContent({ project, abilities, plan, location }: PageProps<typeof queries>) {
  const { client, openUrl } = usePageActions();
  const { milestone, issues, mergeRequests } = plan.value;
  const path = { id: project.value.id, milestone_id: milestone.id };
  return (
    <>
      <MilestoneDetails
        milestone={milestone}
        calls={
          can(abilities, 'admin_milestone')
            ? {
                update: (attributes) =>
                  client.call('PUT /projects/:id/milestones/:milestone_id', { ...path, ...attributes }),
                remove: async () => {
                  await client.call('DELETE /projects/:id/milestones/:milestone_id', path);
                  openUrl(location.toUrl(toPath('milestones', location.values)));
                },
              }
            : null
        }
        project={project.value.path_with_namespace}
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
