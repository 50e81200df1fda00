import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { onUserDeleted } from './on-delete.ts';

export {
  findNote,
  findThread,
  isNoteOnNoteable,
  isResolvable,
  listNotes,
  listThreads,
  loadNotesByIds,
  mayReadInternal,
  mayResolve,
  type NoteListRow,
  type NoteRow,
  notesLockKey,
  resolveNote,
  resolveThread,
  type Thread,
} from '../note-rows/index.ts';
// Public interface for other resources.
export {
  mayUpdateNote,
  noteCreationAccess,
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
export { createNote, deleteNote, NOTE_ERRORS, replyToThread, type ThreadStart, updateNote } from './write.ts';

export const notes = resourceModule({ endpoints, subscriptions: [onUserDeleted] });
