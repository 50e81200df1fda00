import type { Build, Example, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

type OwnerId = (scene: Scene) => number;
const user: OwnerId = ({ callers }) => callers.developer.id;
const project: OwnerId = ({ project: { id } }) => id;
const group: OwnerId = ({ group: { id } }) => id;

const onOwner =
  (owner: OwnerId): Build =>
  (scene): Example => ({ by: 'administrator', path: { id: owner(scene) } });

const onNewKey =
  (owner: OwnerId): Build =>
  (scene): Example => ({
    by: 'administrator',
    path: { id: owner(scene), key: scene.name('key') },
    params: { value: 'Berlin' },
  });

/** Example of a call on a new attribute. */
const onAttribute =
  (owners: 'users' | 'projects' | 'groups', owner: OwnerId): Build =>
  async (scene) => {
    const [id, key] = [owner(scene), scene.name('key')];
    const { administrator } = scene.callers;
    await scene.expectSuccess(administrator.put(`/${owners}/${id}/custom_attributes/${key}`, { value: 'Berlin' }));
    return { by: 'administrator', path: { id, key } };
  };

export const examples: Examples<typeof endpoints> = {
  listUserCustomAttributes: onOwner(user),
  getUserCustomAttribute: onAttribute('users', user),
  setUserCustomAttribute: onNewKey(user),
  deleteUserCustomAttribute: onAttribute('users', user),
  listProjectCustomAttributes: onOwner(project),
  getProjectCustomAttribute: onAttribute('projects', project),
  setProjectCustomAttribute: onNewKey(project),
  deleteProjectCustomAttribute: onAttribute('projects', project),
  listGroupCustomAttributes: onOwner(group),
  getGroupCustomAttribute: onAttribute('groups', group),
  setGroupCustomAttribute: onNewKey(group),
  deleteGroupCustomAttribute: onAttribute('groups', group),
};
