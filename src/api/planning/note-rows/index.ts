/** Rows of notes and their threads. This module has no endpoints; those of notes, threads and issues use it. */

export {
  countNotes,
  deleteNoteRow,
  findNote,
  insertNote,
  isNoteOnNoteable,
  listNotes,
  loadNotesByIds,
  loadNoteTexts,
  mayReadInternal,
  type NoteListRow,
  type NoteRow,
  type NoteThreadFields,
  sumNoteSizes,
  updateNoteBody,
} from './store.ts';
export {
  convertToThread,
  findThread,
  isResolvable,
  isUnresolved,
  listThreads,
  listUnresolvedThreads,
  mayComment,
  mayResolve,
  notesLockKey,
  publishIfAllThreadsResolved,
  resolveCurrentThread,
  resolveNote,
  resolveThread,
  type Thread,
} from './threads.ts';
