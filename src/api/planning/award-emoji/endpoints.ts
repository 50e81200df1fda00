import { Type } from 'typebox';
import { toResource } from '#activity/index.ts';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { getGhostUserId } from '#authentication/users/deletion.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, dateTime, noContent, ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { fail, requireRow } from '#runtime/failure.ts';
import { type AwardRow, createAward, listAwards, removeAward } from '../awards/index.ts';
import {
  awardCreationAccess,
  awardResource,
  deleteAwardAccess,
  forAwardables,
  readableAwardableAccess,
  reloadAwardable,
} from './access.ts';

/** contract/planning.md §1 "AwardEmoji" */
const AwardEmoji = entity('AwardEmoji', {
  id: Type.Integer(),
  name: Type.String(),
  user: UserBasic.schema,
  created_at: dateTime,
  updated_at: dateTime,
  /** The id of the issuable or note, not its iid. */
  awardable_id: Type.Integer(),
  awardable_type: Type.Enum(['Issue', 'MergeRequest', 'Epic', 'Note']),
  /** Custom emoji are not supported. */
  url: Type.Null(),
})
  .columns('id', 'name', 'created_at', 'updated_at')
  .from(
    async (rows: readonly AwardRow[], { db }) => {
      // Awards of deleted users are shown as the ghost user's.
      const ghostUserId = rows.some(({ user_id }) => user_id === null) ? await getGhostUserId(db) : null;
      return { ghostUserId, usersById: await loadUsersById(db, [ghostUserId, ...rows.map(({ user_id }) => user_id)]) };
    },
    (row, context, { ghostUserId, usersById }) => {
      const awardable = row.note_id === null ? toResource(row) : ({ type: 'Note', id: row.note_id } as const);
      return {
        user: UserBasic.serialize(requireRow(usersById.get(row.user_id ?? ghostUserId ?? 0)), context),
        awardable_id: awardable.id,
        awardable_type: awardable.type,
        url: null,
      };
    },
  );

// Award emoji on issues, merge requests, epics and their notes (contract/planning.md §3.13).

export const [
  listIssueAwardEmoji,
  listIssueNoteAwardEmoji,
  listMergeRequestAwardEmoji,
  listMergeRequestNoteAwardEmoji,
  listEpicAwardEmoji,
  listEpicNoteAwardEmoji,
] = forAwardables((kind) =>
  endpoint({
    get: `${kind.path}/award_emoji`,
    summary: `List emoji of ${kind.nounWithArticle}`,
    access: readableAwardableAccess(kind),
    response: page(AwardEmoji),
    read: (db, { awardable, page }) => listAwards(db, awardable, page),
  }),
);

export const [
  getIssueAwardEmoji,
  getIssueNoteAwardEmoji,
  getMergeRequestAwardEmoji,
  getMergeRequestNoteAwardEmoji,
  getEpicAwardEmoji,
  getEpicNoteAwardEmoji,
] = forAwardables((kind) =>
  endpoint({
    get: `${kind.path}/award_emoji/:award_id`,
    summary: `Get emoji of ${kind.nounWithArticle}`,
    access: readableAwardableAccess(kind).resource(awardResource),
    response: ok(AwardEmoji),
    read: (_db, { award }) => award,
  }),
);

export const [
  createIssueAwardEmoji,
  createIssueNoteAwardEmoji,
  createMergeRequestAwardEmoji,
  createMergeRequestNoteAwardEmoji,
  createEpicAwardEmoji,
  createEpicNoteAwardEmoji,
] = forAwardables((kind) =>
  endpoint({
    post: `${kind.path}/award_emoji`,
    summary: `Add emoji to ${kind.nounWithArticle}`,
    access: awardCreationAccess(kind),
    params: { name: required(string) },
    errors: {
      systemNote: [404, '404 Award Emoji Awardable cannot add emoji reactions Not Found'],
      unknownEmoji: [404, '404 Award Emoji Name is not a valid emoji name Not Found'],
      alreadyAwarded: [404, '404 Award Emoji Name has already been taken Not Found'],
    },
    response: created(AwardEmoji),
    async write(uow, { awardable, params }) {
      const currentAwardable = await reloadAwardable(uow, kind, awardable);
      return currentAwardable.note?.system ? fail('systemNote') : createAward(uow, currentAwardable, params.name);
    },
  }),
);

export const [
  deleteIssueAwardEmoji,
  deleteIssueNoteAwardEmoji,
  deleteMergeRequestAwardEmoji,
  deleteMergeRequestNoteAwardEmoji,
  deleteEpicAwardEmoji,
  deleteEpicNoteAwardEmoji,
] = forAwardables((kind) =>
  endpoint({
    delete: `${kind.path}/award_emoji/:award_id`,
    summary: `Delete emoji of ${kind.nounWithArticle}`,
    access: deleteAwardAccess(kind),
    lastModified: ({ award }) => award.updated_at,
    errors: { notFound: NOT_FOUND },
    response: noContent,
    write: (uow, { awardable, award }) => removeAward(uow, awardable, award.id),
  }),
);
