import type { ResourceType } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { QuickActionChanges } from './changes.ts';
import type { QuickActionSubject, SubjectState } from './subject.ts';

/** Values of the request that quick actions need. */
export interface QuickActionOptions {
  /** SHA of the head of the merge request that the user has seen. */
  readonly requestedHead?: string | null | undefined;
  /** The base of URLs in messages. */
  readonly baseUrl: string;
}

/** State that is passed from one quick action to the next. */
export interface QuickActionContext extends QuickActionOptions {
  readonly uow: UnitOfWork<SignedInCaller>;
  readonly subject: QuickActionSubject;
  /** The state after the previous commands. */
  currentState: SubjectState;
  readonly changes: QuickActionChanges;
  /** Effects to run after the noteable has been created or updated. */
  readonly afterUpdate: ((id: number) => Promise<unknown>)[];
}

/** The result of a command that the caller may not run or that does not apply to the current state. */
export const NOT_APPLICABLE = Symbol('not applicable');

/** The message of a command; null if it had no usable argument and did nothing. */
export type CommandResult = string | null | typeof NOT_APPLICABLE;

/** The definition of a quick action. */
export interface QuickAction {
  /** Name and aliases; messages use the first. */
  readonly names: readonly [string, ...string[]];
  readonly noteableTypes: readonly ResourceType[];
  /** Whether it also works in the description of a new noteable. */
  readonly availableAtCreation?: true;
  /**
   * The ability that the caller needs: `update` texts and state, `manage` other attributes, track `time`, `link` issues, or
   * only `see` the noteable.
   */
  readonly requiredRight: 'update' | 'manage' | 'time' | 'link' | 'see';
  /** Whether the creator of a noteable may always use it at creation. */
  readonly allowedToCreator?: true;
  readonly run: (context: QuickActionContext, argument: string) => CommandResult | Promise<CommandResult>;
}

/** Changes attributes of the noteable, for the following commands and the update. */
export function applyChange(context: QuickActionContext, change: Partial<SubjectState>): void {
  context.currentState = { ...context.currentState, ...change };
}

// Types of noteables for which commands exist.
export const ISSUES_ONLY: readonly ResourceType[] = ['Issue'];
export const MERGE_REQUESTS_ONLY: readonly ResourceType[] = ['MergeRequest'];
export const ALL_TYPES: readonly ResourceType[] = ['Issue', 'MergeRequest', 'Epic'];
export const PROJECT_TYPES: readonly ResourceType[] = ['Issue', 'MergeRequest'];

/** Names of the types in messages. */
export const TYPE_NAMES = { Issue: 'issue', MergeRequest: 'merge request', Epic: 'epic' } as const;
