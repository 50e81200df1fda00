import type { Build, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

const listInGroup: Build = ({ group }) => ({ by: 'guest', path: { id: group.id } });

/** Filter and order parameters; each set produces a different SQL statement. */
const FILTERS: readonly Record<string, unknown>[] = [
  { labels: 'bug', order_by: 'updated_at' },
  { labels: 'None', state: 'opened', order_by: 'title', sort: 'asc' },
  { author_username: 'owner', search: 'some words' },
  { 'not[labels]': 'bug', 'not[author_id]': 1, confidential: false },
  { include_ancestor_groups: true },
  { include_descendant_groups: false },
];

export const examples: Examples<typeof endpoints> = {
  listEpics: [
    listInGroup,
    ...FILTERS.map((params) => async (scene: Scene) => ({ ...(await listInGroup(scene)), params })),
    // A group without subgroups uses a different index for each order.
    ...['created_at', 'updated_at', 'title'].map(
      (order_by): Build =>
        ({ subgroup }) => ({ by: 'guest', path: { id: subgroup.id }, params: { order_by } }),
    ),
  ],
  getEpic: async ({ group, newEpic }) => ({
    by: 'guest',
    path: { id: group.id, epic_iid: (await newEpic()).iid },
  }),
  createEpic: [
    ({ group, name }) => ({ by: 'planner', path: { id: group.id }, params: { title: name('Epic') } }),
    async ({ group, name, newEpic }) => ({
      by: 'planner',
      path: { id: group.id },
      params: { title: name('Epic'), parent_id: (await newEpic()).id, labels: name('label') },
    }),
    async ({ group, newEpic }) => ({
      by: 'planner',
      path: { id: group.id },
      params: { title: `As &${(await newEpic()).iid}` },
    }),
  ],
  updateEpic: [
    async ({ group, newEpic }) => ({
      by: 'planner',
      path: { id: group.id, epic_iid: (await newEpic()).iid },
      params: { state_event: 'close' },
    }),
    async ({ group, newEpic, callers, expectSuccess }) => {
      const { iid } = await newEpic({ labels: 'bug' });
      await expectSuccess(callers.owner.put(`${group.at}/epics/${iid}`, { state_event: 'close' }));
      const params = {
        labels: 'feature',
        state_event: 'reopen',
        title: 'Another title',
        description: `As &${(await newEpic()).iid}`,
        confidential: true,
      };
      return { by: 'planner', path: { id: group.id, epic_iid: iid }, params };
    },
  ],
  deleteEpic: async ({ group, newEpic }) => ({
    by: 'planner',
    path: { id: group.id, epic_iid: (await newEpic()).iid },
  }),
};
