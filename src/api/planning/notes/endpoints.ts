import { forThings } from '#http/access/noteables.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, NOT_FOUND } from '#http/errors/error-messages.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { description } from '#http/parameters/texts.ts';
import { boolean, dateTime, notBlank, oneOf } from '#http/parameters/types.ts';
import { THINGS } from '../noteables/index.ts';
import { changingNote, commentingOn, readingNote, turnOfNotes } from './access.ts';
import { COMMAND_REFUSALS, orCommanded, sayAndDo } from './create-with-quick-actions.ts';
import { Note } from './entities.ts';
import { listNotes } from './store.ts';
import { createNote, deleteNote, NOTE_REFUSALS, updateNote } from './write.ts';

// What people say of issues, merge requests and epics (contract/planning.md §3.7).

export const [listIssueNotes, listMergeRequestNotes, listEpicNotes] = forThings(THINGS, (kind) =>
  endpoint({
    get: `${kind.path}/notes`,
    summary: `List what was said on ${kind.aThing}`,
    access: kind.reading(),
    params: {
      order_by: optional(oneOf('created_at', 'updated_at'), 'created_at'),
      sort: optional(oneOf('asc', 'desc'), 'desc'),
      activity_filter: optional(oneOf('all_notes', 'only_comments', 'only_activity'), 'all_notes'),
    },
    response: page(Note),
    read: (db, { thing, caller, params, page }) => listNotes(db, caller, thing, params, page),
  }),
);

export const [readIssueNote, readMergeRequestNote, readEpicNote] = forThings(THINGS, (kind) =>
  endpoint({
    get: `${kind.path}/notes/:note_id`,
    summary: `One note on ${kind.aThing}`,
    access: readingNote(kind),
    response: ok(Note),
    read: (_db, { note }) => note,
  }),
);

export const [createIssueNote, createMergeRequestNote, createEpicNote] = forThings(THINGS, (kind) =>
  endpoint({
    post: `${kind.path}/notes`,
    summary: `Comment on ${kind.aThing}`,
    access: commentingOn(kind),
    params: {
      body: required(description),
      internal: optional(boolean),
      confidential: optional(boolean),
      created_at: optional(dateTime),
    },
    errors: { internal: FORBIDDEN, ...NOTE_REFUSALS, ...COMMAND_REFUSALS },
    // What is said on epics, and done with them, is in no project's feed.
    activity: [
      'note mention',
      'state closed',
      ...(kind.type === 'Epic' ? [] : (['commented Note', `closed ${kind.type}`, 'note assignee'] as const)),
    ],
    response: created(orCommanded(Note)),
    handle: ({ caller, thing, params: { body, internal, confidential, created_at } }, services) =>
      sayAndDo(services, { kind, thing, caller }, body, {
        say: (uow, said) =>
          createNote(uow, kind, thing, {
            ...said,
            internal: internal ?? confidential ?? false,
            createdAt: created_at ?? null,
          }),
      }),
  }),
);

export const [updateIssueNote, updateMergeRequestNote, updateEpicNote] = forThings(THINGS, (kind) =>
  endpoint({
    put: `${kind.path}/notes/:note_id`,
    summary: `Say a comment on ${kind.aThing} in other words`,
    access: changingNote(kind),
    params: { body: required(notBlank(description)) },
    errors: { gone: NOT_FOUND, ...COMMAND_REFUSALS },
    activity: ['note mention'],
    response: ok(orCommanded(Note)),
    handle: ({ caller, thing, note, params }, services) =>
      sayAndDo(services, { kind, thing, caller }, params.body, {
        say: (uow, said) => updateNote(uow, kind, thing, note, said),
        unsay: (uow) => deleteNote(uow, kind, thing, note),
      }),
  }),
);

export const [deleteIssueNote, deleteMergeRequestNote, deleteEpicNote] = forThings(THINGS, (kind) =>
  endpoint({
    delete: `${kind.path}/notes/:note_id`,
    summary: `Take back a comment on ${kind.aThing}`,
    access: changingNote(kind),
    lastModified: ({ note }) => note.updated_at,
    lock: (call) => turnOfNotes(call),
    errors: { gone: NOT_FOUND },
    response: noContent,
    write: (uow, { thing, note }) => deleteNote(uow, kind, thing, note),
  }),
);
