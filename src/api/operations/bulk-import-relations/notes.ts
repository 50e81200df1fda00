import { importNote } from '#api/planning/notes/index.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { longDescription } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { isFailure } from '#runtime/failure.ts';
import { declareChildRelation } from './relation.ts';
import { timestampFields, toTimestamps } from './shared-fields.ts';
import { sourceUser, toAttributedText } from './source-users.ts';

/** Notes of issues or merge requests, oldest first. */
export const createNotesRelation = (type: 'Issue' | 'MergeRequest', noteables: 'issues' | 'merge_requests') =>
  declareChildRelation({
    name: 'notes',
    kind: 'note',
    list: ({ id }, { iid }: { readonly iid: number }) =>
      `/projects/${id}/${noteables}/${iid}/notes?order_by=created_at&sort=asc`,
    fields: {
      id: required(integer),
      body: required(longDescription),
      author: optional(sourceUser),
      system: optional(boolean, false),
      internal: optional(boolean, false),
      /** Former name of `internal`. */
      confidential: optional(boolean, false),
      ...timestampFields,
    },
    referencedUsers: ({ author }) => [author],
    async store(uow, _target, { id }, note, users) {
      const { author_id, text } = toAttributedText(uow.actor, users, note.author, note.body);
      const { system, confidential } = note;
      const internal = note.internal || confidential;
      const result = await importNote(
        uow,
        { type, id },
        { author_id, body: text ?? '', system, internal, ...toTimestamps(note) },
      );
      return isFailure(result) ? result : result.id;
    },
  });
