import type { Build, Example, Examples } from '#test/examples/example.ts';
import type { Group, Project, Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

type GetParent = (scene: Scene) => Group | Project;

const getGroup: GetParent = ({ group }) => group;
const getProject: GetParent = ({ project }) => project;

const buildCall =
  (getParent: GetParent, by: Example['by'], params?: Example['params']): Build =>
  (scene) => ({ by, path: { id: getParent(scene).id }, ...(params && { params }) });

/** Returns a builder of a call that names a new label by its title in the path. */
const buildCallByPath =
  (getParent: GetParent, by: Example['by'], params?: Example['params']): Build =>
  async (scene) => {
    const parent = getParent(scene);
    const { name } = await scene.newLabel(parent);
    return { by, path: { id: parent.id, label_id: name }, ...(params && { params }) };
  };

/** Returns a builder of a call that names a new label by its title in the body. */
const buildCallByName =
  (getParent: GetParent, params: Example['params'] = {}): Build =>
  async (scene) => {
    const parent = getParent(scene);
    const { name } = await scene.newLabel(parent);
    return { by: 'planner', path: { id: parent.id }, params: { name, ...params } };
  };

/** Returns a builder of a call for a new label to which the guest is subscribed. */
const buildUnsubscribeCall =
  (getParent: GetParent): Build =>
  async (scene) => {
    const parent = getParent(scene);
    const { id } = await scene.newLabel(parent);
    await scene.expectSuccess(scene.callers.guest.post(`${parent.at}/labels/${id}/subscribe`));
    return { by: 'guest', path: { id: parent.id, label_id: String(id) } };
  };

const buildCreateCall =
  (getParent: GetParent): Build =>
  (scene) => ({
    by: 'planner',
    path: { id: getParent(scene).id },
    params: { name: scene.name('Label'), color: '#FF0000', description: 'Something is broken' },
  });

const buildListCalls = (getParent: GetParent) =>
  [
    buildCall(getParent, 'guest'),
    buildCall(getParent, 'guest', { search: 'lab "el"', include_ancestor_groups: false }),
    buildCall(getParent, 'guest', { with_counts: true }),
  ] as const;

export const examples: Examples<typeof endpoints> = {
  listGroupLabels: [
    ...buildListCalls(getGroup),
    buildCall(getGroup, 'guest', { include_descendant_groups: true, only_group_labels: false, archived: false }),
    buildCall(getGroup, 'guest', { only_group_labels: false }),
  ],
  listProjectLabels: buildListCalls(getProject),
  getGroupLabel: buildCallByPath(getGroup, 'guest'),
  getProjectLabel: buildCallByPath(getProject, 'guest'),
  createGroupLabel: buildCreateCall(getGroup),
  createProjectLabel: buildCreateCall(getProject),
  updateGroupLabel: buildCallByPath(getGroup, 'planner', { color: 'blue' }),
  updateProjectLabel: [
    buildCallByPath(getProject, 'planner', { color: 'blue' }),
    buildCallByPath(getProject, 'planner', { priority: 1 }),
    buildCallByPath(getProject, 'planner', { priority: null }),
  ],
  updateNamedGroupLabel: buildCallByName(getGroup, { color: 'blue' }),
  updateNamedProjectLabel: buildCallByName(getProject, { color: 'blue' }),
  deleteGroupLabel: buildCallByPath(getGroup, 'planner'),
  deleteProjectLabel: buildCallByPath(getProject, 'planner'),
  deleteNamedGroupLabel: buildCallByName(getGroup),
  deleteNamedProjectLabel: buildCallByName(getProject),
  subscribeToGroupLabel: buildCallByPath(getGroup, 'guest'),
  subscribeToProjectLabel: buildCallByPath(getProject, 'guest'),
  unsubscribeFromGroupLabel: buildUnsubscribeCall(getGroup),
  unsubscribeFromProjectLabel: buildUnsubscribeCall(getProject),
  promoteNamedLabel: buildCallByName(getProject),
  promoteProjectLabel: buildCallByPath(getProject, 'planner'),
};
