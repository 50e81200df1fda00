import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { giveNotesAway } from './ends.ts';

// What other families may use of notes.
export { Note } from './entities.ts';
export { type ImportedNote, importNote } from './import.ts';
export { findNote, isNoteOf, mayReadInternal, type NoteListed, type NoteRow, notesByIds } from './store.ts';

export const notes = family({ endpoints, subscriptions: [giveNotesAway] });
