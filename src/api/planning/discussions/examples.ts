import type { Build, CallerName, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import {
  addedLine,
  commentedCommit,
  type NewNoteable,
  newEpicThing,
  newIssueThing,
  newMergeRequestThing,
} from '../noteables/noteable-examples.ts';
import type * as createEndpoints from './create-endpoints.ts';
import type * as endpoints from './endpoints.ts';

/** A thread that the owner has begun. */
async function newThread(scene: Scene, made: NewNoteable, params: object = {}) {
  const { at, path } = await made(scene);
  const { body } = await scene.done(scene.project.owner.post(`${at}/discussions`, { body: 'It spins', ...params }));
  const thread = { ...path, discussion_id: body.id as string };
  return { on: path, thread, note: { ...thread, note_id: body.notes[0].id as number } };
}

const BODY = { body: 'Seen on two hosts' };

/** The calls of a kind; `diff`: threads may stand in a diff; `mentions`: what texts name is told. */
function callsOn(made: NewNoteable, { by = 'guest', diff = false, mentions = true }: Kind = {}) {
  const naming = (calls: Build): Build[] => (mentions ? [calls] : []);
  const inDiff = (calls: Build): Build[] => (diff ? [calls] : []);
  const named = async (scene: Scene) => `As ${(await made(scene)).named} says`;
  const list: Build = async (scene) => ({ by, path: (await newThread(scene, made)).on });
  const read: Build = async (scene) => ({ by, path: (await newThread(scene, made)).thread });
  const readNote: Build = async (scene) => ({ by, path: (await newThread(scene, made)).note });
  const create = [
    (async (scene) => ({ by, path: (await made(scene)).path, params: BODY })) satisfies Build,
    ...inDiff(async (scene) => ({
      by,
      path: (await made(scene)).path,
      params: { ...BODY, position: addedLine(scene.repository) },
    })),
    ...naming(async (scene) => ({ by, path: (await made(scene)).path, params: { body: await named(scene) } })),
  ] as const;
  const answer = [
    (async (scene) => ({ by, path: (await newThread(scene, made)).thread, params: BODY })) satisfies Build,
    ...inDiff(async (scene) => ({
      by,
      path: (await newThread(scene, made, { position: addedLine(scene.repository) })).thread,
      params: BODY,
    })),
    ...naming(async (scene) => ({
      by,
      path: (await newThread(scene, made)).thread,
      params: { body: await named(scene) },
    })),
  ] as const;
  const update = [
    (async (scene) => ({
      by: 'maintainer',
      path: (await newThread(scene, made)).note,
      params: { body: 'It spins fast' },
    })) satisfies Build,
    ...naming(async (scene) => ({
      by: 'maintainer',
      path: (await newThread(scene, made)).note,
      params: { body: await named(scene) },
    })),
    ...naming(async (scene) => ({
      by: 'developer',
      path: (await newThread(scene, made)).note,
      params: { resolved: true },
    })),
  ] as const;
  const remove: Build = async (scene) => ({ by: 'maintainer', path: (await newThread(scene, made)).note });
  const resolve: Build = async (scene) => ({
    by: 'developer',
    path: (await newThread(scene, made)).thread,
    params: { resolved: true },
  });
  return { list, read, readNote, create, answer, update, remove, resolve };
}

interface Kind {
  readonly by?: CallerName;
  readonly diff?: boolean;
  readonly mentions?: boolean;
}

const onIssue = callsOn(newIssueThing);
const onMergeRequest = callsOn(newMergeRequestThing, { by: 'planner', diff: true });
const onEpic = callsOn(newEpicThing);
const onCommit = callsOn(commentedCommit, { by: 'reporter', diff: true, mentions: false });

export const examples: Examples<typeof endpoints & typeof createEndpoints> = {
  listIssueDiscussions: onIssue.list,
  readIssueDiscussion: onIssue.read,
  createIssueDiscussion: onIssue.create,
  answerIssueDiscussion: onIssue.answer,
  listIssueThreadNotes: onIssue.read,
  readIssueThreadNote: onIssue.readNote,
  updateIssueThreadNote: onIssue.update,
  deleteIssueThreadNote: onIssue.remove,
  resolveIssueDiscussion: onIssue.resolve,
  listMergeRequestDiscussions: onMergeRequest.list,
  readMergeRequestDiscussion: onMergeRequest.read,
  createMergeRequestDiscussion: onMergeRequest.create,
  answerMergeRequestDiscussion: onMergeRequest.answer,
  listMergeRequestThreadNotes: onMergeRequest.read,
  readMergeRequestThreadNote: onMergeRequest.readNote,
  updateMergeRequestThreadNote: onMergeRequest.update,
  deleteMergeRequestThreadNote: onMergeRequest.remove,
  resolveMergeRequestDiscussion: onMergeRequest.resolve,
  listEpicDiscussions: onEpic.list,
  readEpicDiscussion: onEpic.read,
  createEpicDiscussion: onEpic.create,
  answerEpicDiscussion: onEpic.answer,
  listEpicThreadNotes: onEpic.read,
  readEpicThreadNote: onEpic.readNote,
  updateEpicThreadNote: onEpic.update,
  deleteEpicThreadNote: onEpic.remove,
  resolveEpicDiscussion: onEpic.resolve,
  listCommitDiscussions: onCommit.list,
  readCommitDiscussion: onCommit.read,
  createCommitDiscussion: onCommit.create,
  answerCommitDiscussion: onCommit.answer,
  listCommitThreadNotes: onCommit.read,
  readCommitThreadNote: onCommit.readNote,
  updateCommitThreadNote: onCommit.update,
  deleteCommitThreadNote: onCommit.remove,
};
