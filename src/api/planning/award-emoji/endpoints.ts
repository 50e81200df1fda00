import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { fail } from '#runtime/failure.ts';
import { award, listAwards, revoke } from '../awards/index.ts';
import { awarding, awardOfPath, forAwardables, readingAwarded, revoking, stillAwarding } from './access.ts';
import { AwardEmoji } from './entities.ts';

// Emoji on issues, merge requests, epics and what is said on them (contract/planning.md §3.13).

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
    summary: `List the emoji that ${kind.one} was awarded`,
    access: readingAwarded(kind),
    response: page(AwardEmoji),
    read: (db, { awarded, page }) => listAwards(db, awarded, page),
  }),
);

export const [
  readIssueAwardEmoji,
  readIssueNoteAwardEmoji,
  readMergeRequestAwardEmoji,
  readMergeRequestNoteAwardEmoji,
  readEpicAwardEmoji,
  readEpicNoteAwardEmoji,
] = forAwardables((kind) =>
  endpoint({
    get: `${kind.path}/award_emoji/:award_id`,
    summary: `One emoji that ${kind.one} was awarded`,
    access: readingAwarded(kind).resource(awardOfPath),
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
    summary: `Award an emoji to ${kind.one}`,
    access: awarding(kind),
    params: { name: required(string) },
    errors: {
      system: [404, '404 Award Emoji Awardable cannot add emoji reactions Not Found'],
      unknown: [404, '404 Award Emoji Name is not a valid emoji name Not Found'],
      taken: [404, '404 Award Emoji Name has already been taken Not Found'],
    },
    response: created(AwardEmoji),
    async write(uow, { awarded, params }) {
      const standing = await stillAwarding(uow, kind, awarded);
      return standing.note?.system ? fail('system') : award(uow, standing, params.name);
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
    summary: `Take back an emoji from ${kind.one}`,
    access: revoking(kind),
    lastModified: ({ award }) => award.updated_at,
    errors: { gone: NOT_FOUND },
    response: noContent,
    write: (uow, { awarded, award }) => revoke(uow, awarded, award.id),
  }),
);
