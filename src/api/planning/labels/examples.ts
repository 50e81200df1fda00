import type { Build, Example, Examples } from '#test/examples/example.ts';
import type { Group, Project, Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

type ParentOf = (scene: Scene) => Group | Project;

const inGroup: ParentOf = ({ group }) => group;
const inProject: ParentOf = ({ project }) => project;

const callIn =
  (parentOf: ParentOf, by: Example['by'], params?: Example['params']): Build =>
  (scene) => ({ by, path: { id: parentOf(scene).id }, ...(params && { params }) });

/** A label of this project or group, named by its title in the path. */
const byPath =
  (parentOf: ParentOf, by: Example['by'], params?: Example['params']): Build =>
  async (scene) => {
    const parent = parentOf(scene);
    const { name } = await scene.newLabel(parent);
    return { by, path: { id: parent.id, label_id: name }, ...(params && { params }) };
  };

/** A label of this project or group, named in the body. */
const byName =
  (parentOf: ParentOf, params: Example['params'] = {}): Build =>
  async (scene) => {
    const parent = parentOf(scene);
    const { name } = await scene.newLabel(parent);
    return { by: 'planner', path: { id: parent.id }, params: { name, ...params } };
  };

/** A label that the guest is subscribed to. */
const subscribedLabel =
  (parentOf: ParentOf): Build =>
  async (scene) => {
    const parent = parentOf(scene);
    const { id } = await scene.newLabel(parent);
    await scene.expectSuccess(scene.callers.guest.post(`${parent.at}/labels/${id}/subscribe`));
    return { by: 'guest', path: { id: parent.id, label_id: String(id) } };
  };

const createCall =
  (parentOf: ParentOf): Build =>
  (scene) => ({
    by: 'planner',
    path: { id: parentOf(scene).id },
    params: { name: scene.name('Label'), color: '#FF0000', description: 'Said of it' },
  });

const searchCalls = (parentOf: ParentOf) =>
  [
    callIn(parentOf, 'guest'),
    callIn(parentOf, 'guest', { search: 'lab "el"', include_ancestor_groups: false }),
    callIn(parentOf, 'guest', { with_counts: true }),
  ] as const;

export const examples: Examples<typeof endpoints> = {
  listGroupLabels: searchCalls(inGroup),
  listProjectLabels: searchCalls(inProject),
  getGroupLabel: byPath(inGroup, 'guest'),
  getProjectLabel: byPath(inProject, 'guest'),
  createGroupLabel: createCall(inGroup),
  createProjectLabel: createCall(inProject),
  updateGroupLabel: byPath(inGroup, 'planner', { color: 'blue' }),
  updateProjectLabel: [
    byPath(inProject, 'planner', { color: 'blue' }),
    byPath(inProject, 'planner', { priority: 1 }),
    byPath(inProject, 'planner', { priority: null }),
  ],
  updateNamedGroupLabel: byName(inGroup, { color: 'blue' }),
  updateNamedProjectLabel: byName(inProject, { color: 'blue' }),
  deleteGroupLabel: byPath(inGroup, 'planner'),
  deleteProjectLabel: byPath(inProject, 'planner'),
  deleteNamedGroupLabel: byName(inGroup),
  deleteNamedProjectLabel: byName(inProject),
  subscribeToGroupLabel: byPath(inGroup, 'guest'),
  subscribeToProjectLabel: byPath(inProject, 'guest'),
  unsubscribeFromGroupLabel: subscribedLabel(inGroup),
  unsubscribeFromProjectLabel: subscribedLabel(inProject),
  promoteNamedLabel: byName(inProject),
  promoteProjectLabel: byPath(inProject, 'planner'),
};
