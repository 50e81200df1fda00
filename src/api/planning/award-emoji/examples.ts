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
  readonly awardsUrl: string;
  readonly path: Readonly<Record<string, number>>;
}

type NewAwardable = (scene: Scene) => Promise<CreatedAwardable>;

const awardableIssuable =
  (newIssuable: NewIssuable): NewAwardable =>
  async (scene) => {
    const { urlByIid, pathByIid } = await newIssuable(scene);
    return { awardsUrl: `${urlByIid}/award_emoji`, path: pathByIid };
  };

const awardableNoteOn =
  (newIssuable: NewIssuable): NewAwardable =>
  async (scene) => {
    const { url, urlByIid, pathByIid } = await newIssuable(scene);
    const { id } = (await scene.expectSuccess(scene.project.owner.post(`${url}/notes`, { body: 'It spins' }))).body;
    return { awardsUrl: `${urlByIid}/notes/${id}/award_emoji`, path: { ...pathByIid, note_id: id } };
  };

/** Returns the examples for one kind of awardable. */
function buildExamples(
  newAwardable: NewAwardable,
  by: CallerName = 'guest',
): Record<'list' | 'get' | 'create' | 'delete', Build> {
  const createAward = async (scene: Scene) => {
    const { awardsUrl, path } = await newAwardable(scene);
    const { id } = (await scene.expectSuccess(scene.callers.owner.post(awardsUrl, { name: 'rocket' }))).body;
    return { ...path, award_id: id };
  };
  return {
    list: async (scene) => ({ by, path: (await newAwardable(scene)).path }),
    get: async (scene) => ({ by, path: await createAward(scene) }),
    create: async (scene) => ({ by, path: (await newAwardable(scene)).path, params: { name: '+1' } }),
    delete: async (scene) => ({ by: 'owner', path: await createAward(scene) }),
  };
}

const issueExamples = buildExamples(awardableIssuable(newIssueNoteable));
const issueNoteExamples = buildExamples(awardableNoteOn(newIssueNoteable));
const mergeRequestExamples = buildExamples(awardableIssuable(newMergeRequestNoteable), 'planner');
const mergeRequestNoteExamples = buildExamples(awardableNoteOn(newMergeRequestNoteable), 'planner');
const epicExamples = buildExamples(awardableIssuable(newEpicNoteable));
const epicNoteExamples = buildExamples(awardableNoteOn(newEpicNoteable));

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
