import type { Builds, CallerName, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import { type NewThing, newEpicThing, newIssueThing, newMergeRequestThing } from '../noteables/noteable-examples.ts';
import type * as endpoints from './endpoints.ts';

/** A comment by the owner. */
async function newNote(scene: Scene, made: NewThing) {
  const { at, path } = await made(scene);
  const { body } = await scene.done(scene.project.owner.post(`${at}/notes`, { body: 'It spins' }));
  return { ...path, note_id: body.id };
}

/** Of some there is nothing: they are looked for. */
const COMMANDS = '/todo\n/done\n/label ~nope\n/milestone %nope\n/epic &999999\n/assign me\n/react :+1:\n/close';

/** The calls of a kind. */
const callsOn = (
  made: NewThing,
  by: CallerName = 'guest',
): Record<'list' | 'read' | 'create' | 'update' | 'delete', Builds> => ({
  list: async (scene) => ({ by, path: (await made(scene)).path }),
  read: async (scene) => ({ by, path: await newNote(scene, made) }),
  create: [
    async (scene) => ({ by, path: (await made(scene)).path, params: { body: 'Seen on two hosts' } }),
    async (scene) => {
      const [here, there] = [await made(scene), await made(scene)];
      return { by, path: here.path, params: { body: `As in ${there.named}, twice ${there.named}` } };
    },
    async (scene) => ({ by: 'owner', path: (await made(scene)).path, params: { body: `Seen\n${COMMANDS}` } }),
  ],
  update: [
    async (scene) => ({ by: 'maintainer', path: await newNote(scene, made), params: { body: 'It spins fast' } }),
    async (scene) => {
      const { named } = await made(scene);
      return { by: 'maintainer', path: await newNote(scene, made), params: { body: `As ${named} says` } };
    },
  ],
  delete: async (scene) => ({ by: 'maintainer', path: await newNote(scene, made) }),
});

const onIssue = callsOn(newIssueThing);
const onMergeRequest = callsOn(newMergeRequestThing, 'planner');
const onEpic = callsOn(newEpicThing);

export const examples: Examples<typeof endpoints> = {
  listIssueNotes: onIssue.list,
  readIssueNote: onIssue.read,
  createIssueNote: onIssue.create,
  updateIssueNote: onIssue.update,
  deleteIssueNote: onIssue.delete,
  listMergeRequestNotes: onMergeRequest.list,
  readMergeRequestNote: onMergeRequest.read,
  createMergeRequestNote: onMergeRequest.create,
  updateMergeRequestNote: onMergeRequest.update,
  deleteMergeRequestNote: onMergeRequest.delete,
  listEpicNotes: onEpic.list,
  readEpicNote: onEpic.read,
  createEpicNote: onEpic.create,
  updateEpicNote: onEpic.update,
  deleteEpicNote: onEpic.delete,
};
