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
  /** URL of the awards. */
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

/** Returns the examples for one kind of awardable. */
function buildExamples(
  create: CreateAwardable,
  by: CallerName = 'guest',
): Record<'list' | 'get' | 'create' | 'delete', Build> {
  const createAward = async (scene: Scene) => {
    const { at, path } = await create(scene);
    const { id } = (await scene.expectSuccess(scene.callers.owner.post(at, { name: 'rocket' }))).body;
    return { ...path, award_id: id };
  };
  return {
    list: async (scene) => ({ by, path: (await create(scene)).path }),
    get: async (scene) => ({ by, path: await createAward(scene) }),
    create: async (scene) => ({ by, path: (await create(scene)).path, params: { name: '+1' } }),
    delete: async (scene) => ({ by: 'owner', path: await createAward(scene) }),
  };
}

const issueExamples = buildExamples(createIssuable(newIssueNoteable));
const issueNoteExamples = buildExamples(createNoteOn(newIssueNoteable));
const mergeRequestExamples = buildExamples(createIssuable(newMergeRequestNoteable), 'planner');
const mergeRequestNoteExamples = buildExamples(createNoteOn(newMergeRequestNoteable), 'planner');
const epicExamples = buildExamples(createIssuable(newEpicNoteable));
const epicNoteExamples = buildExamples(createNoteOn(newEpicNoteable));

export const examples: Examples<typeof endpoints> = {
  listIssueAwardEmoji: issueExamples.list,
  getIssueAwardEmoji: issueExamples.get,
  createIssueAwardEmoji: issueExamples.create,
  deleteIssueAwardEmoji: issueExamples.delete,
  listIssueNoteAwardEmoji: issueNoteExamples.list,
  getIssueNoteAwardEmoji: issueNoteExamples.get,
  createIssueNoteAwardEmoji: issueNoteExamples.create,
  deleteIssueNoteAwardEmoji: issueNoteExamples.delete,
  listMergeRequestAwardEmoji: mergeRequestExamples.list,
  getMergeRequestAwardEmoji: mergeRequestExamples.get,
  createMergeRequestAwardEmoji: mergeRequestExamples.create,
  deleteMergeRequestAwardEmoji: mergeRequestExamples.delete,
  listMergeRequestNoteAwardEmoji: mergeRequestNoteExamples.list,
  getMergeRequestNoteAwardEmoji: mergeRequestNoteExamples.get,
  createMergeRequestNoteAwardEmoji: mergeRequestNoteExamples.create,
  deleteMergeRequestNoteAwardEmoji: mergeRequestNoteExamples.delete,
  listEpicAwardEmoji: epicExamples.list,
  getEpicAwardEmoji: epicExamples.get,
  createEpicAwardEmoji: epicExamples.create,
  deleteEpicAwardEmoji: epicExamples.delete,
  listEpicNoteAwardEmoji: epicNoteExamples.list,
  getEpicNoteAwardEmoji: epicNoteExamples.get,
  createEpicNoteAwardEmoji: epicNoteExamples.create,
  deleteEpicNoteAwardEmoji: epicNoteExamples.delete,
};
