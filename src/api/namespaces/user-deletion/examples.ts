import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  deleteUser: [
    async ({ user }) => ({ by: 'administrator', path: { id: (await user()).id } }),
    async ({ user, name, done }) => {
      const owner = await user();
      await done(owner.post('/projects', { name: name('project') }));
      await done(owner.post('/groups', { name: name('group'), path: name('group') }));
      return { by: 'administrator', path: { id: owner.id }, params: { hard_delete: true } };
    },
  ],
};
