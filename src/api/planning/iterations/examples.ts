import type { Example, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

type ParentOf = (scene: Scene) => { readonly id: number };
type Params = Example['params'];

const listCall =
  (parentOf: ParentOf, params?: Params) =>
  (scene: Scene): Example => ({ by: 'guest', path: { id: parentOf(scene).id }, ...(params && { params }) });

const listCalls = (parentOf: ParentOf) =>
  [
    listCall(parentOf),
    listCall(parentOf, { state: 'opened', search: 'one', in: ['title', 'cadence_title'], include_descendants: true }),
    listCall(parentOf, { state: 'current', include_ancestors: false }),
    listCall(parentOf, { state: 'upcoming', updated_after: '2025-01-01', updated_before: '2026-01-01' }),
    listCall(parentOf, { state: 'closed', in: ['cadence_title'], search: 'by hand' }),
  ] as const;

/** A new iteration of the scene's group. */
const withIteration =
  (by: Example['by'], params?: Params) =>
  async ({ group, newIteration }: Scene): Promise<Example> => ({
    by,
    path: { id: group.id, iteration_id: (await newIteration()).id },
    ...(params && { params }),
  });

export const examples: Examples<typeof endpoints> = {
  listProjectIterations: listCalls(({ project }) => project),
  listGroupIterations: listCalls(({ group }) => group),
  getIteration: withIteration('guest'),
  async createIteration({ group, name, newCadence }) {
    const params = { title: name('Iteration'), start_date: '2026-02-01', due_date: '2026-02-14' };
    return {
      by: 'planner',
      path: { id: group.id },
      params: { ...params, iterations_cadence_id: (await newCadence()).id },
    };
  },
  updateIteration: [
    withIteration('planner', { description: 'Soon' }),
    withIteration('planner', { title: 'Another', start_date: '2026-03-01', due_date: '2026-03-14' }),
  ],
  deleteIteration: withIteration('planner'),
};
