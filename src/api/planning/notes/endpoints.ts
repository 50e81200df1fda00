import { projectSnippetNotesAccess } from '#api/code/snippets/index.ts';
import { AccessRevoked, reloadAccess } from '#authorization/current-access.ts';
import { mayReadSnippet } from '#authorization/snippets.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { findSnippet, type Snippet } from '#domain/snippets.ts';
import { forNoteables, type NoteableKind, type SnippetNoteable } from '#http/access/noteables.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, NOT_FOUND } from '#http/errors/error-messages.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { longText, refName } from '#http/parameters/texts.ts';
import { boolean, dateTime, notBlank, oneOf } from '#http/parameters/types.ts';
import { listNotes, notesLockKey } from '../note-rows/index.ts';
import { ISSUABLE_KINDS } from '../noteables/index.ts';
import { createNoteAccess, readNoteAccess, updateNoteAccess } from './access.ts';
import { createNote, deleteNote, NOTE_ERRORS, updateNote } from './changes.ts';
import {
  createNoteOrQuickActionsEntity,
  QUICK_ACTION_ERRORS,
  writeNoteWithQuickActions,
} from './create-with-quick-actions.ts';
import { Note } from './entities.ts';

/** Snippets of projects as noteables. Personal snippets have no notes. */
const snippetNoteableKind: NoteableKind<SnippetNoteable> = {
  type: 'Snippet',
  nounWithArticle: 'a snippet',
  path: '/projects/:id/snippets/:snippet_id',
  parentType: 'project',
  readAccess: () =>
    projectSnippetNotesAccess().map(({ project, snippet, caller }) => ({
      noteable: toSnippetNoteable(project, snippet),
      caller,
    })),
  async reload(tx, previousCaller, { id, project: { id: projectId } }) {
    const { caller, project } = await reloadAccess(tx, previousCaller, projectId);
    const snippet = await findSnippet(tx, id);
    if (snippet === null || !mayReadSnippet(caller, snippet, project)) throw new AccessRevoked();
    return { noteable: toSnippetNoteable(project, snippet), caller };
  },
};

function toSnippetNoteable(project: Project, { id, author_id }: Snippet): SnippetNoteable {
  return { type: 'Snippet', id, authorId: author_id, project, locked: false };
}

// Notes on issues, merge requests, epics (contract/planning.md §3.7) and project snippets (contract/everyday-more.md §7.1).

const KINDS = [...ISSUABLE_KINDS, snippetNoteableKind] as const;

const createdAtParam = describe(optional(dateTime), 'Only Owners and administrators may set it; ignored for others.');

export const [listIssueNotes, listMergeRequestNotes, listEpicNotes, listSnippetNotes] = forNoteables(KINDS, (kind) =>
  endpoint({
    get: `${kind.path}/notes`,
    summary: `List notes on ${kind.nounWithArticle}`,
    description:
      'Lists comments and system notes, newest first by default. Notes that the caller may not read are left out, for example internal ones.',
    access: kind.readAccess(),
    params: {
      order_by: optional(oneOf('created_at', 'updated_at'), 'created_at'),
      sort: optional(oneOf('asc', 'desc'), 'desc'),
      activity_filter: describe(
        optional(oneOf('all_notes', 'only_comments', 'only_activity'), 'all_notes'),
        'Restricts the list to notes by users, or to system notes.',
      ),
    },
    response: page(Note),
    read: (db, { noteable, caller, params, page }) => listNotes(db, caller, noteable, params, page),
  }),
);

export const [getIssueNote, getMergeRequestNote, getEpicNote, getSnippetNote] = forNoteables(KINDS, (kind) =>
  endpoint({
    get: `${kind.path}/notes/:note_id`,
    summary: `Get a note on ${kind.nounWithArticle}`,
    description: 'Returns one comment or system note, replies in threads included.',
    access: readNoteAccess(kind),
    response: ok(Note),
    read: (_db, { note }) => note,
  }),
);

export const [createIssueNote, createMergeRequestNote, createEpicNote] = forNoteables(ISSUABLE_KINDS, (kind) =>
  endpoint({
    post: `${kind.path}/notes`,
    summary: `Comment on ${kind.nounWithArticle}`,
    description:
      'Creates a comment, executes the quick actions in its text and removes them from it. Participants and mentioned users are notified. If the text contains only quick actions, no comment is created and the response is 202 with their effects. Members only may comment if the discussion is locked.',
    access: createNoteAccess(kind),
    params: {
      body: describe(required(longText), 'Markdown. Lines like `/close` are quick actions.'),
      internal: describe(
        optional(boolean),
        'Shows the note only to callers with at least the Planner role; only these may set it.',
      ),
      confidential: describe(optional(boolean), 'Deprecated: use `internal`.'),
      created_at: createdAtParam,
      merge_request_diff_head_sha: describe(
        optional(refName),
        'Required by the quick action `/merge`: the SHA that the head of the source branch must have.',
      ),
    },
    errors: { internalNotAllowed: FORBIDDEN, ...NOTE_ERRORS, ...QUICK_ACTION_ERRORS },
    // Epics belong to no project, so they record no activity events.
    activity: [
      'note mention',
      'state closed',
      ...(kind.type === 'Epic' ? [] : (['commented Note', `closed ${kind.type}`, 'note assignee'] as const)),
    ],
    response: { ...created(createNoteOrQuickActionsEntity(Note)), otherStatuses: [202] },
    handle: ({ caller, noteable, base, params: { body, internal, confidential, created_at, ...params } }, services) =>
      writeNoteWithQuickActions(services, { kind, noteable, caller }, body, {
        baseUrl: base.url,
        requestedHead: params.merge_request_diff_head_sha,
        write: (uow, text) =>
          createNote(uow, kind, noteable, {
            ...text,
            internal: internal ?? confidential ?? false,
            createdAt: created_at ?? null,
          }),
      }),
  }),
);

// Comments on snippets are never internal, and contain no quick actions.
export const createSnippetNote = endpoint({
  post: `${snippetNoteableKind.path}/notes`,
  summary: 'Comment on a snippet',
  description: 'Creates a comment on a project snippet. Its text is stored as it is: quick actions are not executed.',
  access: createNoteAccess(snippetNoteableKind),
  params: { body: required(longText), created_at: createdAtParam },
  lock: (call) => notesLockKey(call),
  errors: { internalNotAllowed: FORBIDDEN, ...NOTE_ERRORS },
  activity: ['commented Note'],
  response: created(Note),
  write: (uow, { noteable, params: { body, created_at } }) =>
    createNote(uow, snippetNoteableKind as NoteableKind, noteable, {
      body,
      internal: false,
      createdAt: created_at ?? null,
    }),
});

export const [updateIssueNote, updateMergeRequestNote, updateEpicNote, updateSnippetNote] = forNoteables(
  KINDS,
  (kind) =>
    endpoint({
      put: `${kind.path}/notes/:note_id`,
      summary: `Update a comment on ${kind.nounWithArticle}`,
      description:
        'Replaces the text of a comment. Its author and callers with at least the Maintainer role may update it; system notes cannot be updated. Quick actions are executed, except on snippets. A text that contains only quick actions deletes the comment; the response is then 202 with their effects.',
      access: updateNoteAccess(kind),
      params: { body: required(notBlank(longText)) },
      errors: { notFound: NOT_FOUND, ...QUICK_ACTION_ERRORS },
      activity: kind.type === 'Snippet' ? [] : ['note mention'],
      response: { ...ok(createNoteOrQuickActionsEntity(Note)), otherStatuses: [202] },
      handle: ({ caller, noteable, note, base, params }, services) =>
        writeNoteWithQuickActions(services, { kind, noteable, caller }, params.body, {
          baseUrl: base.url,
          write: (uow, text) => updateNote(uow, kind, noteable, note, text),
          onEmpty: (uow) => deleteNote(uow, kind, noteable, note),
        }),
    }),
);

export const [deleteIssueNote, deleteMergeRequestNote, deleteEpicNote, deleteSnippetNote] = forNoteables(
  KINDS,
  (kind) =>
    endpoint({
      delete: `${kind.path}/notes/:note_id`,
      summary: `Delete a comment on ${kind.nounWithArticle}`,
      description:
        'Deletes a comment and its activity events. Its author and callers with at least the Maintainer role may delete it; system notes cannot be deleted. A thread ends with its last note.',
      access: updateNoteAccess(kind),
      lastModified: ({ note }) => note.updated_at,
      lock: (call) => notesLockKey(call),
      errors: { notFound: NOT_FOUND },
      response: noContent,
      write: (uow, { noteable, note }) => deleteNote(uow, kind, noteable, note),
    }),
);
