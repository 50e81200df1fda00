import { Type } from 'typebox';
import { toResource } from '#activity/index.ts';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { getGhostUserId } from '#authentication/users/deletion.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, dateTime, noContent, ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { describe, required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { fail, requireRow } from '#runtime/failure.ts';
import { type AwardRow, createAward, listAwards, removeAward } from '../awards/index.ts';
import {
  awardResource,
  createAwardAccess,
  deleteAwardAccess,
  forAwardables,
  readAwardableAccess,
  reloadAwardable,
} from './access.ts';

/** An emoji that a user has added (contract/planning.md §1 "AwardEmoji"). */
const AwardEmoji = entity('AwardEmoji', {
  id: Type.Integer(),
  name: Type.String(),
  user: UserBasic.schema,
  created_at: dateTime,
  updated_at: dateTime,
  awardable_id: Type.Integer({ description: 'Global ID of the issue, merge request, epic or note.' }),
  awardable_type: Type.Enum(['Issue', 'MergeRequest', 'Epic', 'Note']),
  url: Type.Null({ description: 'Always null: there are no custom emoji.' }),
})
  .columns('id', 'name', 'created_at', 'updated_at')
  .from(
    async (rows: readonly AwardRow[], { db }) => {
      // Awards of deleted users show the ghost user.
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
    description: 'Lists the emoji that users have added, oldest first.',
    access: readAwardableAccess(kind),
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
    description: 'Returns one emoji with the user who added it.',
    access: readAwardableAccess(kind).resource(awardResource),
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
    description:
      "Adds an emoji as the caller and updates the vote counts. The caller's pending to-do items for it are marked as done. No note, activity event or mail is created. Answers 404 if the caller has already added this emoji, or if the name is unknown.",
    access: createAwardAccess(kind),
    params: {
      name: describe(required(string), 'Name of the emoji without colons. An alias is stored as its main name.'),
    },
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
    description:
      'Deletes an emoji that the caller has added, and updates the vote counts. Administrators may delete those of other users; everybody else gets 401 for them.',
    access: deleteAwardAccess(kind),
    lastModified: ({ award }) => award.updated_at,
    errors: { notFound: NOT_FOUND },
    response: noContent,
    write: (uow, { awardable, award }) => removeAward(uow, awardable, award.id),
  }),
);
