import type { Builds, CallerName, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import {
  type NewIssuable,
  type NewNoteable,
  newEpicNoteable,
  newIssueNoteable,
  newMergeRequestNoteable,
  newSnippetNoteable,
} from '../noteables/noteable-examples.ts';
import type * as endpoints from './endpoints.ts';

/** Creates a comment as the owner. */
async function newNote(scene: Scene, newNoteable: NewIssuable | NewNoteable) {
  const { url, path } = await newNoteable(scene);
  const { body } = await scene.expectSuccess(scene.project.owner.post(`${url}/notes`, { body: 'It spins' }));
  return { ...path, note_id: body.id };
}

/** Quick actions. Some refer to objects that do not exist, so that the example covers their lookups. */
const COMMANDS = '/todo\n/done\n/label ~nope\n/milestone %nope\n/epic &999999\n/assign me\n/react :+1:\n/close';

/** Calls for one kind of noteable. */
const buildExamples = (
  newNoteable: NewIssuable,
  by: CallerName = 'guest',
): Record<'list' | 'get' | 'create' | 'update' | 'delete', Builds> => ({
  list: async (scene) => ({ by, path: (await newNoteable(scene)).path }),
  get: async (scene) => ({ by, path: await newNote(scene, newNoteable) }),
  create: [
    async (scene) => ({ by, path: (await newNoteable(scene)).path, params: { body: 'Seen on two hosts' } }),
    async (scene) => {
      const [noteable, mentionedNoteable] = [await newNoteable(scene), await newNoteable(scene)];
      return {
        by,
        path: noteable.path,
        params: { body: `As in ${mentionedNoteable.reference}, twice ${mentionedNoteable.reference}` },
      };
    },
    async (scene) => ({ by: 'owner', path: (await newNoteable(scene)).path, params: { body: `Seen\n${COMMANDS}` } }),
  ],
  update: [
    async (scene) => ({ by: 'maintainer', path: await newNote(scene, newNoteable), params: { body: 'It spins fast' } }),
    async (scene) => {
      const { reference } = await newNoteable(scene);
      return { by: 'maintainer', path: await newNote(scene, newNoteable), params: { body: `As ${reference} says` } };
    },
  ],
  delete: async (scene) => ({ by: 'maintainer', path: await newNote(scene, newNoteable) }),
});

const onIssue = buildExamples(newIssueNoteable);
const onMergeRequest = buildExamples(newMergeRequestNoteable, 'planner');
const onEpic = buildExamples(newEpicNoteable);

export const examples: Examples<typeof endpoints> = {
  listIssueNotes: onIssue.list,
  getIssueNote: onIssue.get,
  createIssueNote: onIssue.create,
  updateIssueNote: onIssue.update,
  deleteIssueNote: onIssue.delete,
  listMergeRequestNotes: onMergeRequest.list,
  getMergeRequestNote: onMergeRequest.get,
  createMergeRequestNote: onMergeRequest.create,
  updateMergeRequestNote: onMergeRequest.update,
  deleteMergeRequestNote: onMergeRequest.delete,
  listEpicNotes: onEpic.list,
  getEpicNote: onEpic.get,
  createEpicNote: onEpic.create,
  updateEpicNote: onEpic.update,
  deleteEpicNote: onEpic.delete,
  listSnippetNotes: async (scene) => ({ by: 'guest', path: (await newSnippetNoteable(scene)).path }),
  getSnippetNote: async (scene) => ({ by: 'guest', path: await newNote(scene, newSnippetNoteable) }),
  createSnippetNote: async (scene) => ({
    by: 'guest',
    path: (await newSnippetNoteable(scene)).path,
    params: { body: 'Works here too' },
  }),
  updateSnippetNote: async (scene) => ({
    by: 'maintainer',
    path: await newNote(scene, newSnippetNoteable),
    params: { body: 'Works here' },
  }),
  deleteSnippetNote: async (scene) => ({ by: 'maintainer', path: await newNote(scene, newSnippetNoteable) }),
};
