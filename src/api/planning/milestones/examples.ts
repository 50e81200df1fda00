import type { Build, Example, Examples } from '#test/examples/example.ts';
import type { Group, Project, Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

type ParentOf = (scene: Scene) => Group | Project;
type Params = Example['params'];

const inGroup: ParentOf = ({ group }) => group;
const inProject: ParentOf = ({ project }) => project;

const listCall =
  (parentOf: ParentOf, params?: Params): Build =>
  (scene) => ({ by: 'guest', path: { id: parentOf(scene).id }, ...(params && { params }) });

const listCalls = (parentOf: ParentOf) =>
  [
    listCall(parentOf),
    listCall(parentOf, {
      state: 'active',
      search: 'one "two three"',
      include_ancestors: true,
      title: 'v1',
      iids: [1, 2],
    }),
    listCall(parentOf, { updated_before: '2026-01-01', updated_after: '2025-01-01' }),
  ] as const;

const createCall =
  (parentOf: ParentOf): Build =>
  (scene) => ({
    by: 'planner',
    path: { id: parentOf(scene).id },
    params: { title: scene.name('v'), start_date: '2026-02-01', due_date: '2026-02-14' },
  });

/** Calls an endpoint on a new milestone of this project or group. `initialUpdate` is applied to the milestone before the call. */
const withMilestone =
  (parentOf: ParentOf, by: Example['by'], params?: Params, initialUpdate: Params = {}): Build =>
  async (scene) => {
    const parent = parentOf(scene);
    const { id } = await scene.newMilestone(parent);
    if (Object.keys(initialUpdate).length > 0)
      await scene.expectSuccess(parent.owner.put(`${parent.at}/milestones/${id}`, initialUpdate));
    return { by, path: { id: parent.id, milestone_id: id }, ...(params && { params }) };
  };

const updates = (parentOf: ParentOf) =>
  [
    withMilestone(parentOf, 'planner', { description: 'Soon' }),
    withMilestone(parentOf, 'planner', { state_event: 'close' }),
    withMilestone(parentOf, 'planner', { state_event: 'activate' }, { state_event: 'close' }),
  ] as const;

export const examples: Examples<typeof endpoints> = {
  listGroupMilestones: [...listCalls(inGroup), listCall(inGroup, { include_descendants: true })],
  listProjectMilestones: listCalls(inProject),
  getGroupMilestone: withMilestone(inGroup, 'guest'),
  getProjectMilestone: withMilestone(inProject, 'guest'),
  createGroupMilestone: createCall(inGroup),
  createProjectMilestone: createCall(inProject),
  updateGroupMilestone: updates(inGroup),
  updateProjectMilestone: updates(inProject),
  deleteGroupMilestone: withMilestone(inGroup, 'planner'),
  deleteProjectMilestone: withMilestone(inProject, 'planner'),
  promoteProjectMilestone: withMilestone(inProject, 'planner'),
};
