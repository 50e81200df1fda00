import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { onUserDeleted } from './on-delete.ts';

// Public interface for other resources.
export {
  mayUpdateNote,
  noteCreationAccess,
  notesLockKey,
  readThreadNoteAccess,
  updateThreadNoteAccess,
} from './access.ts';
export { commentedCommitResource, commitNoteableKind, toCommitNoteable } from './commit-noteable.ts';
export {
  createNoteOrQuickActionsEntity,
  QUICK_ACTION_ERRORS,
  writeNoteWithQuickActions,
} from './create-with-quick-actions.ts';
export { Note } from './entities.ts';
export { importNote } from './import.ts';
export { Position } from './position.ts';
export { mayResolve, resolveNote, resolveThread } from './resolve.ts';
export {
  findNote,
  isNoteOnNoteable,
  listNotes,
  loadNotesByIds,
  mayReadInternal,
  type NoteListRow,
  type NoteRow,
} from './store.ts';
export { findThread, isResolvable, listThreads, type Thread } from './threads.ts';
export { createNote, deleteNote, NOTE_ERRORS, replyToThread, type ThreadStart, updateNote } from './write.ts';

export const notes = resourceModule({ endpoints, subscriptions: [onUserDeleted] });
