import type { Build, CallerName, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import {
  addedLine,
  commentedCommit,
  type NewNoteable,
  newEpicNoteable,
  newIssueNoteable,
  newMergeRequestNoteable,
} from '../noteables/noteable-examples.ts';
import type * as createEndpoints from './create-endpoints.ts';
import type * as endpoints from './endpoints.ts';

/** Creates a thread as the owner. */
async function newThread(scene: Scene, newNoteable: NewNoteable, params: object = {}) {
  const { at, path } = await newNoteable(scene);
  const { body } = await scene.expectSuccess(
    scene.project.owner.post(`${at}/discussions`, { body: 'It spins', ...params }),
  );
  const thread = { ...path, discussion_id: body.id as string };
  return { on: path, thread, note: { ...thread, note_id: body.notes[0].id as number } };
}

const BODY = { body: 'Seen on two hosts' };

/** Calls for one kind of noteable. `diff`: threads may have a position in a diff; `mentions`: mentions create cross-references. */
function callsOn(newNoteable: NewNoteable, { by = 'guest', diff = false, mentions = true }: Kind = {}) {
  const ifMentions = (calls: Build): Build[] => (mentions ? [calls] : []);
  const ifDiff = (calls: Build): Build[] => (diff ? [calls] : []);
  const bodyWithMention = async (scene: Scene) => `As ${(await newNoteable(scene)).reference} says`;
  const list: Build = async (scene) => ({ by, path: (await newThread(scene, newNoteable)).on });
  const get: Build = async (scene) => ({ by, path: (await newThread(scene, newNoteable)).thread });
  const getNote: Build = async (scene) => ({ by, path: (await newThread(scene, newNoteable)).note });
  const create = [
    (async (scene) => ({ by, path: (await newNoteable(scene)).path, params: BODY })) satisfies Build,
    ...ifDiff(async (scene) => ({
      by,
      path: (await newNoteable(scene)).path,
      params: { ...BODY, position: addedLine(scene.repository) },
    })),
    ...ifMentions(async (scene) => ({
      by,
      path: (await newNoteable(scene)).path,
      params: { body: await bodyWithMention(scene) },
    })),
  ] as const;
  const reply = [
    (async (scene) => ({ by, path: (await newThread(scene, newNoteable)).thread, params: BODY })) satisfies Build,
    ...ifDiff(async (scene) => ({
      by,
      path: (await newThread(scene, newNoteable, { position: addedLine(scene.repository) })).thread,
      params: BODY,
    })),
    ...ifMentions(async (scene) => ({
      by,
      path: (await newThread(scene, newNoteable)).thread,
      params: { body: await bodyWithMention(scene) },
    })),
  ] as const;
  const update = [
    (async (scene) => ({
      by: 'maintainer',
      path: (await newThread(scene, newNoteable)).note,
      params: { body: 'It spins fast' },
    })) satisfies Build,
    ...ifMentions(async (scene) => ({
      by: 'maintainer',
      path: (await newThread(scene, newNoteable)).note,
      params: { body: await bodyWithMention(scene) },
    })),
    ...ifMentions(async (scene) => ({
      by: 'developer',
      path: (await newThread(scene, newNoteable)).note,
      params: { resolved: true },
    })),
  ] as const;
  const remove: Build = async (scene) => ({ by: 'maintainer', path: (await newThread(scene, newNoteable)).note });
  const resolve: Build = async (scene) => ({
    by: 'developer',
    path: (await newThread(scene, newNoteable)).thread,
    params: { resolved: true },
  });
  return { list, get, getNote, create, reply, update, remove, resolve };
}

interface Kind {
  readonly by?: CallerName;
  readonly diff?: boolean;
  readonly mentions?: boolean;
}

const onIssue = callsOn(newIssueNoteable);
const onMergeRequest = callsOn(newMergeRequestNoteable, { by: 'planner', diff: true });
const onEpic = callsOn(newEpicNoteable);
const onCommit = callsOn(commentedCommit, { by: 'reporter', diff: true, mentions: false });

export const examples: Examples<typeof endpoints & typeof createEndpoints> = {
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
