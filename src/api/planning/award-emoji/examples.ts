import type { Build, CallerName, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import {
  type NewIssuable,
  newEpicNoteable,
  newIssueNoteable,
  newMergeRequestNoteable,
} from '../noteables/noteable-examples.ts';
import type * as endpoints from './endpoints.ts';

interface CreatedAwardable {
  readonly at: string;
  readonly path: Readonly<Record<string, number>>;
}

type CreateAwardable = (scene: Scene) => Promise<CreatedAwardable>;

const createIssuable =
  (create: NewIssuable): CreateAwardable =>
  async (scene) => {
    const { updateUrl, iidPath } = await create(scene);
    return { at: `${updateUrl}/award_emoji`, path: iidPath };
  };

const createNoteOn =
  (create: NewIssuable): CreateAwardable =>
  async (scene) => {
    const { at, updateUrl, iidPath } = await create(scene);
    const { id } = (await scene.expectSuccess(scene.project.owner.post(`${at}/notes`, { body: 'It spins' }))).body;
    return { at: `${updateUrl}/notes/${id}/award_emoji`, path: { ...iidPath, note_id: id } };
  };

/** Examples for one kind of awardable. */
function examplesFor(
  create: CreateAwardable,
  by: CallerName = 'guest',
): Record<'list' | 'read' | 'create' | 'delete', Build> {
  const awarded = async (scene: Scene) => {
    const { at, path } = await create(scene);
    const { id } = (await scene.expectSuccess(scene.callers.owner.post(at, { name: 'rocket' }))).body;
    return { ...path, award_id: id };
  };
  return {
    list: async (scene) => ({ by, path: (await create(scene)).path }),
    read: async (scene) => ({ by, path: await awarded(scene) }),
    create: async (scene) => ({ by, path: (await create(scene)).path, params: { name: '+1' } }),
    delete: async (scene) => ({ by: 'owner', path: await awarded(scene) }),
  };
}

const issueExamples = examplesFor(createIssuable(newIssueNoteable));
const issueNoteExamples = examplesFor(createNoteOn(newIssueNoteable));
const mergeRequestExamples = examplesFor(createIssuable(newMergeRequestNoteable), 'planner');
const mergeRequestNoteExamples = examplesFor(createNoteOn(newMergeRequestNoteable), 'planner');
const epicExamples = examplesFor(createIssuable(newEpicNoteable));
const epicNoteExamples = examplesFor(createNoteOn(newEpicNoteable));

export const examples: Examples<typeof endpoints> = {
  listIssueAwardEmoji: issueExamples.list,
  getIssueAwardEmoji: issueExamples.read,
  createIssueAwardEmoji: issueExamples.create,
  deleteIssueAwardEmoji: issueExamples.delete,
  listIssueNoteAwardEmoji: issueNoteExamples.list,
  getIssueNoteAwardEmoji: issueNoteExamples.read,
  createIssueNoteAwardEmoji: issueNoteExamples.create,
  deleteIssueNoteAwardEmoji: issueNoteExamples.delete,
  listMergeRequestAwardEmoji: mergeRequestExamples.list,
  getMergeRequestAwardEmoji: mergeRequestExamples.read,
  createMergeRequestAwardEmoji: mergeRequestExamples.create,
  deleteMergeRequestAwardEmoji: mergeRequestExamples.delete,
  listMergeRequestNoteAwardEmoji: mergeRequestNoteExamples.list,
  getMergeRequestNoteAwardEmoji: mergeRequestNoteExamples.read,
  createMergeRequestNoteAwardEmoji: mergeRequestNoteExamples.create,
  deleteMergeRequestNoteAwardEmoji: mergeRequestNoteExamples.delete,
  listEpicAwardEmoji: epicExamples.list,
  getEpicAwardEmoji: epicExamples.read,
  createEpicAwardEmoji: epicExamples.create,
  deleteEpicAwardEmoji: epicExamples.delete,
  listEpicNoteAwardEmoji: epicNoteExamples.list,
  getEpicNoteAwardEmoji: epicNoteExamples.read,
  createEpicNoteAwardEmoji: epicNoteExamples.create,
  deleteEpicNoteAwardEmoji: epicNoteExamples.delete,
};
