import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listIssueWeightEvents: async ({ project, newIssue }) => ({
    by: 'guest',
    path: { id: project.id, issue_iid: (await newIssue({ weight: 3 })).iid },
  }),
  getIssueWeightEvent: async ({ project, newIssue, expectSuccess }) => {
    const { iid } = await newIssue({ weight: 3 });
    const { body } = await expectSuccess(project.owner.get(`${project.at}/issues/${iid}/resource_weight_events`));
    return { by: 'guest', path: { id: project.id, issue_iid: iid, event_id: body[0].id } };
  },
};
