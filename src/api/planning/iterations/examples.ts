import type { Example, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

type Place = (scene: Scene) => { readonly id: number };
type Params = Example['params'];

const listing =
  (place: Place, params?: Params) =>
  (scene: Scene): Example => ({ by: 'guest', path: { id: place(scene).id }, ...(params && { params }) });

const lists = (place: Place) =>
  [
    listing(place),
    listing(place, { state: 'opened', search: 'one', in: ['title', 'cadence_title'], include_descendants: true }),
    listing(place, { state: 'current', include_ancestors: false }),
    listing(place, { state: 'upcoming', updated_after: '2025-01-01', updated_before: '2026-01-01' }),
    listing(place, { state: 'closed', in: ['cadence_title'], search: 'by hand' }),
  ] as const;

/** An iteration of the scene's group, made so. */
const withOne =
  (by: Example['by'], params?: Params) =>
  async ({ group, newIteration }: Scene): Promise<Example> => ({
    by,
    path: { id: group.id, iteration_id: (await newIteration()).id },
    ...(params && { params }),
  });

export const examples: Examples<typeof endpoints> = {
  listProjectIterations: lists(({ project }) => project),
  listGroupIterations: lists(({ group }) => group),
  readIteration: withOne('guest'),
  async createIteration({ group, name, newCadence }) {
    const params = { title: name('Iteration'), start_date: '2026-02-01', due_date: '2026-02-14' };
    return {
      by: 'planner',
      path: { id: group.id },
      params: { ...params, iterations_cadence_id: (await newCadence()).id },
    };
  },
  updateIteration: [
    withOne('planner', { description: 'Soon' }),
    withOne('planner', { title: 'Another', start_date: '2026-03-01', due_date: '2026-03-14' }),
  ],
  deleteIteration: withOne('planner'),
};
