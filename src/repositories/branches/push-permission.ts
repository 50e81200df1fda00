import type { SignedInCaller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { mayCommitTo } from '../ref-updates/ref-permissions.ts';

/** A branch, existing or not, with somebody who may push to it: what commits want, and what only the question gives. */
export interface OpenBranch {
  readonly [asked]: true;
  readonly project: Project;
  readonly name: string;
  readonly caller: SignedInCaller;
}

declare const asked: unique symbol;

/**
 * The right to push to the branch that a call names, for the access of its endpoint (`access.late`). It is asked of who
 * was let in, so that nobody's objects are written for nothing, and once more where the branch moves (`toCommit`).
 */
export const PUSH_TO_BRANCH = {
  name: 'openBranch',
  label: 'push to branch',
  question:
    (
      { db }: { readonly db: Reader },
      { project, caller }: { readonly project: Project; readonly caller: SignedInCaller },
    ) =>
    async (name: string): Promise<OpenBranch | Failure<'notAllowed'>> =>
      (await mayCommitTo(db, caller, project, name)) ? ({ project, name, caller } as OpenBranch) : fail('notAllowed'),
} as const;

/** How an endpoint with this right hands it on. */
export type OpenBranchQuestion = ReturnType<typeof PUSH_TO_BRANCH.question>;
