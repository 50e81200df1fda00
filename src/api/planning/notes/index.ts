import { resourceModule } from '#http/endpoint/resource-module.ts';
import { onUserDeleted } from './changes.ts';
import * as endpoints from './endpoints.ts';

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
  createNoteAccess,
  mayUpdateNote,
  readThreadNoteAccess,
  updateThreadNoteAccess,
} from './access.ts';
export {
  createNote,
  deleteNote,
  importNote,
  NOTE_ERRORS,
  replyToThread,
  type ThreadStart,
  updateNote,
} from './changes.ts';
export { commentedCommitResource, commitNoteableKind, toCommitNoteable } from './commit-noteable.ts';
export {
  createNoteOrQuickActionsEntity,
  QUICK_ACTION_ERRORS,
  writeNoteWithQuickActions,
} from './create-with-quick-actions.ts';
export { Note, Position } from './entities.ts';

export const notes = resourceModule({ endpoints, subscriptions: [onUserDeleted] });
