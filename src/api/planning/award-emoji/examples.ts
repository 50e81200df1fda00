import type { Build, CallerName, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import { type NewThing, newEpicThing, newIssueThing, newMergeRequestThing } from '../noteables/noteable-examples.ts';
import type * as endpoints from './endpoints.ts';

interface New {
  readonly at: string;
  readonly path: Readonly<Record<string, number>>;
}

type Made = (scene: Scene) => Promise<New>;

const ofThing =
  (made: NewThing): Made =>
  async (scene) => {
    const { changed, numbered } = await made(scene);
    return { at: `${changed}/award_emoji`, path: numbered };
  };

const ofNote =
  (made: NewThing): Made =>
  async (scene) => {
    const { at, changed, numbered } = await made(scene);
    const { id } = (await scene.done(scene.project.owner.post(`${at}/notes`, { body: 'It spins' }))).body;
    return { at: `${changed}/notes/${id}/award_emoji`, path: { ...numbered, note_id: id } };
  };

/** The calls of a kind. */
function callsOn(made: Made, by: CallerName = 'guest'): Record<'list' | 'read' | 'create' | 'delete', Build> {
  const awarded = async (scene: Scene) => {
    const { at, path } = await made(scene);
    const { id } = (await scene.done(scene.callers.owner.post(at, { name: 'rocket' }))).body;
    return { ...path, award_id: id };
  };
  return {
    list: async (scene) => ({ by, path: (await made(scene)).path }),
    read: async (scene) => ({ by, path: await awarded(scene) }),
    create: async (scene) => ({ by, path: (await made(scene)).path, params: { name: '+1' } }),
    delete: async (scene) => ({ by: 'owner', path: await awarded(scene) }),
  };
}

const onIssue = callsOn(ofThing(newIssueThing));
const onIssueNote = callsOn(ofNote(newIssueThing));
const onMergeRequest = callsOn(ofThing(newMergeRequestThing), 'planner');
const onMergeRequestNote = callsOn(ofNote(newMergeRequestThing), 'planner');
const onEpic = callsOn(ofThing(newEpicThing));
const onEpicNote = callsOn(ofNote(newEpicThing));

export const examples: Examples<typeof endpoints> = {
  listIssueAwardEmoji: onIssue.list,
  readIssueAwardEmoji: onIssue.read,
  createIssueAwardEmoji: onIssue.create,
  deleteIssueAwardEmoji: onIssue.delete,
  listIssueNoteAwardEmoji: onIssueNote.list,
  readIssueNoteAwardEmoji: onIssueNote.read,
  createIssueNoteAwardEmoji: onIssueNote.create,
  deleteIssueNoteAwardEmoji: onIssueNote.delete,
  listMergeRequestAwardEmoji: onMergeRequest.list,
  readMergeRequestAwardEmoji: onMergeRequest.read,
  createMergeRequestAwardEmoji: onMergeRequest.create,
  deleteMergeRequestAwardEmoji: onMergeRequest.delete,
  listMergeRequestNoteAwardEmoji: onMergeRequestNote.list,
  readMergeRequestNoteAwardEmoji: onMergeRequestNote.read,
  createMergeRequestNoteAwardEmoji: onMergeRequestNote.create,
  deleteMergeRequestNoteAwardEmoji: onMergeRequestNote.delete,
  listEpicAwardEmoji: onEpic.list,
  readEpicAwardEmoji: onEpic.read,
  createEpicAwardEmoji: onEpic.create,
  deleteEpicAwardEmoji: onEpic.delete,
  listEpicNoteAwardEmoji: onEpicNote.list,
  readEpicNoteAwardEmoji: onEpicNote.read,
  createEpicNoteAwardEmoji: onEpicNote.create,
  deleteEpicNoteAwardEmoji: onEpicNote.delete,
};
