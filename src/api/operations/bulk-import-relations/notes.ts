import { importNote } from '#api/planning/notes/index.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { longDescription } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { isFailure } from '#runtime/failure.ts';
import { childRelation } from './relation.ts';
import { times, timesOf } from './shared-fields.ts';
import { asWritten, sourceUser } from './source-users.ts';

/** The notes of issues and merge requests, in their order. */
export const notesOf = (type: 'Issue' | 'MergeRequest', things: 'issues' | 'merge_requests') =>
  childRelation({
    name: 'notes',
    kind: 'note',
    list: ({ id }, { iid }: { readonly iid: number }) =>
      `/projects/${id}/${things}/${iid}/notes?order_by=created_at&sort=asc`,
    fields: {
      id: required(integer),
      body: required(longDescription),
      author: optional(sourceUser),
      system: optional(boolean, false),
      internal: optional(boolean, false),
      /** Its old name. */
      confidential: optional(boolean, false),
      ...times,
    },
    people: ({ author }) => [author],
    async store(uow, _target, { id }, note, users) {
      const { author_id, text } = asWritten(uow.actor, users, note.author, note.body);
      const { system, confidential } = note;
      const internal = note.internal || confidential;
      const made = await importNote(
        uow,
        { type, id },
        { author_id, body: text ?? '', system, internal, ...timesOf(note) },
      );
      return isFailure(made) ? made : made.id;
    },
  });
