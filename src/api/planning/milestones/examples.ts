import type { Build, Example, Examples } from '#test/examples/example.ts';
import type { Group, Project, Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

type GetParent = (scene: Scene) => Group | Project;
type Params = Example['params'];

const getGroup: GetParent = ({ group }) => group;
const getProject: GetParent = ({ project }) => project;

const buildListCall =
  (getParent: GetParent, params?: Params): Build =>
  (scene) => ({ by: 'guest', path: { id: getParent(scene).id }, ...(params && { params }) });

const buildListCalls = (getParent: GetParent) =>
  [
    buildListCall(getParent),
    buildListCall(getParent, {
      state: 'active',
      search: 'one "two three"',
      include_ancestors: true,
      title: 'v1',
      iids: [1, 2],
    }),
    buildListCall(getParent, { updated_before: '2026-01-01', updated_after: '2025-01-01' }),
  ] as const;

const buildCreateCall =
  (getParent: GetParent): Build =>
  (scene) => ({
    by: 'planner',
    path: { id: getParent(scene).id },
    params: { title: scene.name('v'), start_date: '2026-02-01', due_date: '2026-02-14' },
  });

/** Returns a builder of a call for a new milestone of this project or group. `initialUpdate` is applied to the milestone before the call. */
const buildMilestoneCall =
  (getParent: GetParent, by: Example['by'], params?: Params, initialUpdate: Params = {}): Build =>
  async (scene) => {
    const parent = getParent(scene);
    const { id } = await scene.newMilestone(parent);
    if (Object.keys(initialUpdate).length > 0)
      await scene.expectSuccess(parent.owner.put(`${parent.at}/milestones/${id}`, initialUpdate));
    return { by, path: { id: parent.id, milestone_id: id }, ...(params && { params }) };
  };

const buildUpdateCalls = (getParent: GetParent) =>
  [
    buildMilestoneCall(getParent, 'planner', { description: 'Soon' }),
    buildMilestoneCall(getParent, 'planner', { state_event: 'close' }),
    buildMilestoneCall(getParent, 'planner', { state_event: 'activate' }, { state_event: 'close' }),
  ] as const;

export const examples: Examples<typeof endpoints> = {
  listGroupMilestones: [...buildListCalls(getGroup), buildListCall(getGroup, { include_descendants: true })],
  listProjectMilestones: buildListCalls(getProject),
  getGroupMilestone: buildMilestoneCall(getGroup, 'guest'),
  getProjectMilestone: buildMilestoneCall(getProject, 'guest'),
  createGroupMilestone: buildCreateCall(getGroup),
  createProjectMilestone: buildCreateCall(getProject),
  updateGroupMilestone: buildUpdateCalls(getGroup),
  updateProjectMilestone: buildUpdateCalls(getProject),
  deleteGroupMilestone: buildMilestoneCall(getGroup, 'planner'),
  deleteProjectMilestone: buildMilestoneCall(getProject, 'planner'),
  promoteProjectMilestone: buildMilestoneCall(getProject, 'planner'),
};
