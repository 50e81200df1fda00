import type { Build, Example, Examples } from '#test/examples/example.ts';
import type { Group, Project, Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

type Place = (scene: Scene) => Group | Project;
type Params = Example['params'];

const ofGroup: Place = ({ group }) => group;
const ofProject: Place = ({ project }) => project;

const listing =
  (place: Place, params?: Params): Build =>
  (scene) => ({ by: 'guest', path: { id: place(scene).id }, ...(params && { params }) });

const lists = (place: Place) =>
  [
    listing(place),
    listing(place, { state: 'active', search: 'one "two three"', include_ancestors: true, title: 'v1', iids: [1, 2] }),
    listing(place, { updated_before: '2026-01-01', updated_after: '2025-01-01' }),
  ] as const;

const creating =
  (place: Place): Build =>
  (scene) => ({
    by: 'planner',
    path: { id: place(scene).id },
    params: { title: scene.name('v'), start_date: '2026-02-01', due_date: '2026-02-14' },
  });

/** A milestone of this place, made so. */
const withOne =
  (place: Place, by: Example['by'], params?: Params, before: Params = {}): Build =>
  async (scene) => {
    const at = place(scene);
    const { id } = await scene.newMilestone(at);
    if (Object.keys(before).length > 0) await scene.done(at.owner.put(`${at.at}/milestones/${id}`, before));
    return { by, path: { id: at.id, milestone_id: id }, ...(params && { params }) };
  };

const updates = (place: Place) =>
  [
    withOne(place, 'planner', { description: 'Soon' }),
    withOne(place, 'planner', { state_event: 'close' }),
    withOne(place, 'planner', { state_event: 'activate' }, { state_event: 'close' }),
  ] as const;

export const examples: Examples<typeof endpoints> = {
  listGroupMilestones: lists(ofGroup),
  listProjectMilestones: lists(ofProject),
  readGroupMilestone: withOne(ofGroup, 'guest'),
  readProjectMilestone: withOne(ofProject, 'guest'),
  createGroupMilestone: creating(ofGroup),
  createProjectMilestone: creating(ofProject),
  updateGroupMilestone: updates(ofGroup),
  updateProjectMilestone: updates(ofProject),
  deleteGroupMilestone: withOne(ofGroup, 'planner'),
  deleteProjectMilestone: withOne(ofProject, 'planner'),
  promoteProjectMilestone: withOne(ofProject, 'planner'),
};
