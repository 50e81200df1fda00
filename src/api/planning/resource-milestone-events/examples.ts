import type { Examples } from '../../../../test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listIssueMilestoneEvents: async ({ project, newIssue }) => ({
    by: 'guest',
    path: { id: project.id, issue_iid: (await newIssue()).iid },
  }),
  readIssueMilestoneEvent: async ({ project, newIssue, newMilestone, done }) => {
    const { iid } = await newIssue({ milestone_id: (await newMilestone()).id });
    const { body } = await done(project.owner.get(`${project.at}/issues/${iid}/resource_milestone_events`));
    return { by: 'guest', path: { id: project.id, issue_iid: iid, resource_milestone_event_id: body[0].id } };
  },
};
