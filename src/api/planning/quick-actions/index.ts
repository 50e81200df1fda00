/**
 * Quick actions: lines in texts that change the noteable they are on (contract/planning.md §3.17). This module has no endpoints;
 * notes and descriptions use it. `parse.ts` finds the commands. The tables in `run.ts` and `*-commands.ts` define their effects,
 * which result in one update.
 */
export { NoteCommandsChanges, type QuickActionChanges } from './changes.ts';
export type { QuickActionOptions } from './command-context.ts';
export { applyDescriptionCommands, runAfterUpdate } from './description-commands.ts';
export { type ParsedCommand, type ParsedText, parseCommands } from './parse.ts';
export { containsReopen, findMoveTarget, findTargetBranch, parseQuickActions, runQuickActions } from './run.ts';
export {
  type IssueOperations,
  type MergeRequestOperations,
  NEW_SUBJECT_STATE,
  type QuickActionSubject,
} from './subject.ts';
export type { QuickActionKind } from './update-noteable.ts';
