import type { SignedInCaller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { mayCommitTo } from '../ref-updates/ref-permissions.ts';

/** A branch, existing or not, with a caller who may push to it. Only the permission check returns this type. */
export interface PushableBranch {
  readonly [pushPermission]: true;
  readonly project: Project;
  readonly name: string;
  readonly caller: SignedInCaller;
}

declare const pushPermission: unique symbol;

/**
 * Endpoint access (`access.deferred`): permission to push to the branch that a request names. It is checked before objects
 * are written, and again when the branch moves (`commitPermission`).
 */
export const PUSH_TO_BRANCH = {
  name: 'requirePushableBranch',
  label: 'push to branch',
  createCheck:
    (
      { db }: { readonly db: Reader },
      { project, caller }: { readonly project: Project; readonly caller: SignedInCaller },
    ) =>
    async (name: string): Promise<PushableBranch | Failure<'notAllowed'>> =>
      (await mayCommitTo(db, caller, project, name))
        ? ({ project, name, caller } as PushableBranch)
        : fail('notAllowed'),
} as const;

/** Check that endpoint handlers get. Returns the branch, or fails if the caller may not push to it. */
export type RequirePushableBranch = ReturnType<typeof PUSH_TO_BRANCH.createCheck>;
