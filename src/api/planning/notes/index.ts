import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { forgetCommits, giveNotesAway } from './on-delete.ts';

// What other families may use of notes.
export {
  changingNoteInThread,
  commentingOn,
  mayChange,
  readingNoteInThread,
  turnOfNotes,
} from './access.ts';
export { commented, commitAsThing, commitThing } from './commit-noteable.ts';
export { COMMAND_REFUSALS, orCommanded, sayAndDo } from './create-with-quick-actions.ts';
export { Note } from './entities.ts';
export { importNote } from './import.ts';
export { Position } from './position.ts';
export { mayResolve, resolveNote, resolveThread } from './resolve.ts';
export { findNote, isNoteOf, listNotes, mayReadInternal, type NoteListed, type NoteRow, notesByIds } from './store.ts';
export { findThread, isResolvable, listThreads, type Thread } from './threads.ts';
export { answerNote, type Beginning, createNote, deleteNote, NOTE_REFUSALS, updateNote } from './write.ts';

export const notes = family({ endpoints, subscriptions: [giveNotesAway, forgetCommits] });
