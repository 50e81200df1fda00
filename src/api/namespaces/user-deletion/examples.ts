import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  deleteUser: [
    async ({ user }) => ({ by: 'administrator', path: { id: (await user()).id } }),
    async ({ user, name, expectSuccess }) => {
      const owner = await user();
      await expectSuccess(owner.post('/projects', { name: name('project') }));
      await expectSuccess(owner.post('/groups', { name: name('group'), path: name('group') }));
      return { by: 'administrator', path: { id: owner.id }, params: { hard_delete: true } };
    },
  ],
};
