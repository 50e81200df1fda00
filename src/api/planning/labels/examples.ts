import type { Build, Example, Examples } from '#test/examples/example.ts';
import type { Group, Project, Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

type Place = (scene: Scene) => Group | Project;

const ofGroup: Place = ({ group }) => group;
const ofProject: Place = ({ project }) => project;

const inPlace =
  (place: Place, by: Example['by'], params?: Example['params']): Build =>
  (scene) => ({ by, path: { id: place(scene).id }, ...(params && { params }) });

/** A label of this place, named by its title in the path. */
const byPath =
  (place: Place, by: Example['by'], params?: Example['params']): Build =>
  async (scene) => {
    const at = place(scene);
    const { name } = await scene.newLabel(at);
    return { by, path: { id: at.id, label_id: name }, ...(params && { params }) };
  };

/** A label of this place, named in the body. */
const byName =
  (place: Place, params: Example['params'] = {}): Build =>
  async (scene) => {
    const at = place(scene);
    const { name } = await scene.newLabel(at);
    return { by: 'planner', path: { id: at.id }, params: { name, ...params } };
  };

/** A label that the guest is subscribed to. */
const subscribed =
  (place: Place): Build =>
  async (scene) => {
    const at = place(scene);
    const { id } = await scene.newLabel(at);
    await scene.done(scene.callers.guest.post(`${at.at}/labels/${id}/subscribe`));
    return { by: 'guest', path: { id: at.id, label_id: String(id) } };
  };

const creating =
  (place: Place): Build =>
  (scene) => ({
    by: 'planner',
    path: { id: place(scene).id },
    params: { name: scene.name('Label'), color: '#FF0000', description: 'Said of it' },
  });

const searching = (place: Place) =>
  [
    inPlace(place, 'guest'),
    inPlace(place, 'guest', { search: 'lab "el"', include_ancestor_groups: false }),
    inPlace(place, 'guest', { with_counts: true }),
  ] as const;

export const examples: Examples<typeof endpoints> = {
  listGroupLabels: searching(ofGroup),
  listProjectLabels: searching(ofProject),
  readGroupLabel: byPath(ofGroup, 'guest'),
  readProjectLabel: byPath(ofProject, 'guest'),
  createGroupLabel: creating(ofGroup),
  createProjectLabel: creating(ofProject),
  updateGroupLabel: byPath(ofGroup, 'planner', { color: 'blue' }),
  updateProjectLabel: [
    byPath(ofProject, 'planner', { color: 'blue' }),
    byPath(ofProject, 'planner', { priority: 1 }),
    byPath(ofProject, 'planner', { priority: null }),
  ],
  updateNamedGroupLabel: byName(ofGroup, { color: 'blue' }),
  updateNamedProjectLabel: byName(ofProject, { color: 'blue' }),
  deleteGroupLabel: byPath(ofGroup, 'planner'),
  deleteProjectLabel: byPath(ofProject, 'planner'),
  deleteNamedGroupLabel: byName(ofGroup),
  deleteNamedProjectLabel: byName(ofProject),
  subscribeToGroupLabel: byPath(ofGroup, 'guest'),
  subscribeToProjectLabel: byPath(ofProject, 'guest'),
  unsubscribeFromGroupLabel: subscribed(ofGroup),
  unsubscribeFromProjectLabel: subscribed(ofProject),
  promoteNamedLabel: byName(ofProject),
  promoteProjectLabel: byPath(ofProject, 'planner'),
};
