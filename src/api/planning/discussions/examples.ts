import type { Build, CallerName, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import {
  createAddedLinePosition,
  type NewNoteable,
  newCommitNoteable,
  newEpicNoteable,
  newIssueNoteable,
  newMergeRequestNoteable,
} from '../noteables/noteable-examples.ts';
import type * as endpoints from './endpoints.ts';

/** Creates a thread as the owner. Returns the path parameters of the noteable, the thread and its first note. */
async function createThread(scene: Scene, newNoteable: NewNoteable, params: object = {}) {
  const { url, path } = await newNoteable(scene);
  const { body } = await scene.expectSuccess(
    scene.project.owner.post(`${url}/discussions`, { body: 'It spins', ...params }),
  );
  const thread = { ...path, discussion_id: body.id as string };
  return { noteable: path, thread, note: { ...thread, note_id: body.notes[0].id as number } };
}

const NOTE_PARAMS = { body: 'Seen on two hosts' };

/** Returns the examples for one kind of noteable. */
function buildExamples(
  newNoteable: NewNoteable,
  { by = 'guest', hasDiff = false, hasMentions = true }: NoteableTraits = {},
) {
  const ifMentions = (build: Build): Build[] => (hasMentions ? [build] : []);
  const ifDiff = (build: Build): Build[] => (hasDiff ? [build] : []);
  const bodyWithMention = async (scene: Scene) => `As ${(await newNoteable(scene)).reference} says`;
  const list: Build = async (scene) => ({ by, path: (await createThread(scene, newNoteable)).noteable });
  const get: Build = async (scene) => ({ by, path: (await createThread(scene, newNoteable)).thread });
  const getNote: Build = async (scene) => ({ by, path: (await createThread(scene, newNoteable)).note });
  const create = [
    (async (scene) => ({ by, path: (await newNoteable(scene)).path, params: NOTE_PARAMS })) satisfies Build,
    ...ifDiff(async (scene) => ({
      by,
      path: (await newNoteable(scene)).path,
      params: { ...NOTE_PARAMS, position: createAddedLinePosition(scene.repository) },
    })),
    ...ifMentions(async (scene) => ({
      by,
      path: (await newNoteable(scene)).path,
      params: { body: await bodyWithMention(scene) },
    })),
  ] as const;
  const reply = [
    (async (scene) => ({
      by,
      path: (await createThread(scene, newNoteable)).thread,
      params: NOTE_PARAMS,
    })) satisfies Build,
    ...ifDiff(async (scene) => ({
      by,
      path: (await createThread(scene, newNoteable, { position: createAddedLinePosition(scene.repository) })).thread,
      params: NOTE_PARAMS,
    })),
    ...ifMentions(async (scene) => ({
      by,
      path: (await createThread(scene, newNoteable)).thread,
      params: { body: await bodyWithMention(scene) },
    })),
  ] as const;
  const update = [
    (async (scene) => ({
      by: 'maintainer',
      path: (await createThread(scene, newNoteable)).note,
      params: { body: 'It spins fast' },
    })) satisfies Build,
    ...ifMentions(async (scene) => ({
      by: 'maintainer',
      path: (await createThread(scene, newNoteable)).note,
      params: { body: await bodyWithMention(scene) },
    })),
    ...ifMentions(async (scene) => ({
      by: 'developer',
      path: (await createThread(scene, newNoteable)).note,
      params: { resolved: true },
    })),
  ] as const;
  const remove: Build = async (scene) => ({ by: 'maintainer', path: (await createThread(scene, newNoteable)).note });
  const resolve: Build = async (scene) => ({
    by: 'developer',
    path: (await createThread(scene, newNoteable)).thread,
    params: { resolved: true },
  });
  return { list, get, getNote, create, reply, update, remove, resolve };
}

interface NoteableTraits {
  readonly by?: CallerName;
  /** Threads may have a position in a diff. */
  readonly hasDiff?: boolean;
  /** Mentions create cross-references. */
  readonly hasMentions?: boolean;
}

const onIssue = buildExamples(newIssueNoteable);
const onMergeRequest = buildExamples(newMergeRequestNoteable, { by: 'planner', hasDiff: true });
const onEpic = buildExamples(newEpicNoteable);
const onCommit = buildExamples(newCommitNoteable, { by: 'reporter', hasDiff: true, hasMentions: false });

export const examples: Examples<typeof endpoints> = {
  listIssueDiscussions: onIssue.list,
  getIssueDiscussion: onIssue.get,
  createIssueDiscussion: onIssue.create,
  createIssueThreadNote: onIssue.reply,
  listIssueThreadNotes: onIssue.get,
  getIssueThreadNote: onIssue.getNote,
  updateIssueThreadNote: onIssue.update,
  deleteIssueThreadNote: onIssue.remove,
  resolveIssueDiscussion: onIssue.resolve,
  listMergeRequestDiscussions: onMergeRequest.list,
  getMergeRequestDiscussion: onMergeRequest.get,
  createMergeRequestDiscussion: onMergeRequest.create,
  createMergeRequestThreadNote: onMergeRequest.reply,
  listMergeRequestThreadNotes: onMergeRequest.get,
  getMergeRequestThreadNote: onMergeRequest.getNote,
  updateMergeRequestThreadNote: onMergeRequest.update,
  deleteMergeRequestThreadNote: onMergeRequest.remove,
  resolveMergeRequestDiscussion: onMergeRequest.resolve,
  listEpicDiscussions: onEpic.list,
  getEpicDiscussion: onEpic.get,
  createEpicDiscussion: onEpic.create,
  createEpicThreadNote: onEpic.reply,
  listEpicThreadNotes: onEpic.get,
  getEpicThreadNote: onEpic.getNote,
  updateEpicThreadNote: onEpic.update,
  deleteEpicThreadNote: onEpic.remove,
  resolveEpicDiscussion: onEpic.resolve,
  listCommitDiscussions: onCommit.list,
  getCommitDiscussion: onCommit.get,
  createCommitDiscussion: onCommit.create,
  createCommitThreadNote: onCommit.reply,
  listCommitThreadNotes: onCommit.get,
  getCommitThreadNote: onCommit.getNote,
  updateCommitThreadNote: onCommit.update,
  deleteCommitThreadNote: onCommit.remove,
};
