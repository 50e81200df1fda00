import type { Examples } from '../../../../test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  readIssue: async ({ project, newIssue }) => ({
    by: 'guest',
    path: { id: project.id, issue_iid: (await newIssue()).iid },
  }),
  createIssue: ({ project, name }) => ({ by: 'guest', path: { id: project.id }, params: { title: name('Issue') } }),
};
