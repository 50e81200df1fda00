import type { Example, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

const AUTOMATIC = { start_date: '2099-01-01', duration_in_weeks: 2, iterations_in_advance: 2 };

const buildListExample =
  (params?: Example['params']) =>
  ({ group }: Scene): Example => ({ by: 'guest', path: { id: group.id }, ...(params && { params }) });

/** Returns a builder of an example that creates a cadence in the scene's group and has its id in the path. */
const buildCadenceExample =
  (by: Example['by'], params?: Example['params']) =>
  async ({ group, newCadence }: Scene): Promise<Example> => {
    const { id } = await newCadence();
    return { by, path: { id: group.id, cadence_id: id }, ...(params && { params }) };
  };

export const examples: Examples<typeof endpoints> = {
  listIterationCadences: [
    buildListExample(),
    buildListExample({
      search: 'weeks',
      include_ancestors: false,
      active: true,
      automatic: true,
      duration_in_weeks: 2,
    }),
  ],
  getIterationCadence: buildCadenceExample('guest'),
  createIterationCadence: [
    ({ group, name }) => ({ by: 'planner', path: { id: group.id }, params: { title: name('Weeks'), ...AUTOMATIC } }),
    ({ group, name }) => ({
      by: 'planner',
      path: { id: group.id },
      params: { title: name('By hand'), automatic: false },
    }),
  ],
  updateIterationCadence: [
    buildCadenceExample('planner', { description: 'Soon' }),
    buildCadenceExample('planner', { ...AUTOMATIC, automatic: true, roll_over: true }),
  ],
  deleteIterationCadence: buildCadenceExample('planner'),
};
