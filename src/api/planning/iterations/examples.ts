import type { Example, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

type GetParent = (scene: Scene) => { readonly id: number };
type Params = Example['params'];

const buildListExample =
  (getParent: GetParent, params?: Params) =>
  (scene: Scene): Example => ({ by: 'guest', path: { id: getParent(scene).id }, ...(params && { params }) });

const buildListExamples = (getParent: GetParent) =>
  [
    buildListExample(getParent),
    buildListExample(getParent, {
      state: 'opened',
      search: 'one',
      in: ['title', 'cadence_title'],
      include_descendants: true,
    }),
    buildListExample(getParent, { state: 'current', include_ancestors: false }),
    buildListExample(getParent, { state: 'upcoming', updated_after: '2025-01-01', updated_before: '2026-01-01' }),
    buildListExample(getParent, { state: 'closed', in: ['cadence_title'], search: 'by hand' }),
  ] as const;

/** Returns a builder of a call that names a new iteration of the scene's group in its path. */
const buildIterationExample =
  (by: Example['by'], params?: Params) =>
  async ({ group, newIteration }: Scene): Promise<Example> => ({
    by,
    path: { id: group.id, iteration_id: (await newIteration()).id },
    ...(params && { params }),
  });

export const examples: Examples<typeof endpoints> = {
  listProjectIterations: buildListExamples(({ project }) => project),
  listGroupIterations: buildListExamples(({ group }) => group),
  getIteration: buildIterationExample('guest'),
  async createIteration({ group, name, newCadence }) {
    const params = { title: name('Iteration'), start_date: '2026-02-01', due_date: '2026-02-14' };
    return {
      by: 'planner',
      path: { id: group.id },
      params: { ...params, iterations_cadence_id: (await newCadence()).id },
    };
  },
  updateIteration: [
    buildIterationExample('planner', { description: 'Soon' }),
    buildIterationExample('planner', { title: 'Another', start_date: '2026-03-01', due_date: '2026-03-14' }),
  ],
  deleteIteration: buildIterationExample('planner'),
};
