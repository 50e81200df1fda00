import type { Examples } from '../../../../test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listIssueStateEvents: async ({ project, newIssue }) => ({
    by: 'guest',
    path: { id: project.id, issue_iid: (await newIssue()).iid },
  }),
  readIssueStateEvent: async ({ project, newIssue, done }) => {
    const { iid } = await newIssue();
    const issue = `${project.at}/issues/${iid}`;
    await done(project.owner.put(issue, { state_event: 'close' }));
    const { body } = await done(project.owner.get(`${issue}/resource_state_events`));
    return { by: 'guest', path: { id: project.id, issue_iid: iid, resource_state_event_id: body[0].id } };
  },
};
