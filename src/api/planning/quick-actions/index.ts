import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Issuable } from '#http/access/noteables.ts';
import type { RefServices } from '#repositories/services.ts';

import type { QuickActionInput, QuickActionSubject } from './subject.ts';

// Quick actions: lines in a text that change its noteable, such as `/label ~bug` (contract/planning.md §3.17). This module has no
// endpoints; notes and descriptions use it. `parse.ts` finds the commands. The tables in `run.ts` and `*-commands.ts` define their
// effects, which result in one update.

export { NoteCommandsChanges, type QuickActionChanges } from './changes.ts';
export type { QuickActionOptions } from './command-context.ts';
export { applyDescriptionCommands, runAfterUpdate } from './description-commands.ts';
export { type ParsedCommand, type ParsedText, parseCommands } from './parse.ts';
export { containsReopen, findMoveTarget, findTargetBranch, parseQuickActions, runQuickActions } from './run.ts';
export { type MergeRequestOperations, NEW_SUBJECT_STATE, type QuickActionSubject } from './subject.ts';

/**
 * A type of issuable for quick actions in comments. Each resource applies the update with the function that its PUT endpoint uses.
 */
export interface QuickActionKind<Of extends Issuable = Issuable> {
  /**
   * Runs a unit of work that can update the issuable. The options list further effects that the update may have: reopen the
   * issuable, set the target branch to `targetBranch`, or move the issue to the project with the path `moveTarget`. `lock`
   * are further lock keys.
   */
  runUnitOfWork<T>(
    services: RefServices,
    caller: SignedInCaller,
    noteable: Of,
    options: {
      readonly reopens: boolean;
      readonly targetBranch?: string | undefined;
      readonly moveTarget?: string | undefined;
      readonly lock: readonly string[];
    },
    work: (
      uow: UnitOfWork<SignedInCaller>,
      /** Returns a `Failure`, or any other value on success. */
      update: (input: QuickActionInput) => Promise<unknown>,
    ) => Promise<T>,
  ): Promise<T>;
  /** Loads the subject; null if it is deleted. */
  loadSubject(
    uow: UnitOfWork<SignedInCaller>,
    caller: SignedInCaller,
    noteable: Of,
  ): Promise<QuickActionSubject | null>;
}
