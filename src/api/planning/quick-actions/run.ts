import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import { isSameSet } from '../issuables/index.ts';
import type { QuickActionChanges } from './changes.ts';
import { NOT_APPLICABLE, type QuickAction, type QuickActionContext } from './command-context.ts';
import { IMMEDIATE_ACTIONS } from './immediate-commands.ts';
import { ISSUE_ACTIONS } from './issue-commands.ts';
import { ITERATION_ACTIONS } from './iteration-commands.ts';
import { LABEL_ACTIONS } from './label-commands.ts';
import { LINK_ACTIONS } from './link-commands.ts';
import { MERGE_REQUEST_ACTIONS } from './merge-request-commands.ts';
import { type ParsedCommand, type ParsedText, parseCommands } from './parse.ts';
import { PEOPLE_ACTIONS } from './people-commands.ts';
import { PLANNING_ACTIONS } from './planning-commands.ts';
import type { QuickActionInput, QuickActionSubject, SubjectState } from './subject.ts';
import { TEXT_ACTIONS } from './text-commands.ts';

// The list of all quick actions, and their execution. All commands of a text result in one update.

const QUICK_ACTIONS: readonly QuickAction[] = [
  ...TEXT_ACTIONS,
  ...LABEL_ACTIONS,
  ...PEOPLE_ACTIONS,
  ...PLANNING_ACTIONS,
  ...IMMEDIATE_ACTIONS,
  ...MERGE_REQUEST_ACTIONS,
  ...LINK_ACTIONS,
  ...ITERATION_ACTIONS,
  ...ISSUE_ACTIONS,
];

const ACTIONS_BY_NAME = new Map(QUICK_ACTIONS.map((action) => [action.names[0] as string, action]));

const CANONICAL_NAMES: ReadonlyMap<string, string> = new Map(
  QUICK_ACTIONS.flatMap(({ names }) => names.map((name) => [name, names[0]] as const)),
);

/** Parses the quick actions of a text. */
export const parseQuickActions = (text: string | null | undefined): ParsedText =>
  parseCommands(text ?? '', CANONICAL_NAMES);

/** Returns whether the commands reopen the noteable; merge requests then need their branches. */
export const containsReopen = ({ commands }: ParsedText): boolean => commands.some(({ name }) => name === 'reopen');

/** Returns the target branch that the commands set, or undefined. */
export const findTargetBranch = ({ commands }: ParsedText): string | undefined =>
  commands.findLast(({ name, argument }) => name === 'target_branch' && argument !== '')?.argument;

/** Returns the path of the project to which the commands move the issue, or undefined. */
export const findMoveTarget = ({ commands }: ParsedText): string | undefined =>
  commands.find(({ name, argument }) => name === 'move' && argument !== '')?.argument;

/** The effects of the quick actions of a text, not yet applied. */
export interface QuickActionResult {
  readonly input: QuickActionInput;
  readonly changes: QuickActionChanges;
  readonly messages: readonly string[];
  /** Runs the other effects after the noteable has been created or updated. */
  readonly afterUpdate: (id: number) => Promise<undefined | Failure<'invalid'>>;
}

/**
 * Evaluates the commands in order, without writing anything. The caller applies `input`, then runs `afterUpdate`. `requestedHead` is
 * the head commit of the merge request that the user saw.
 */
export async function runQuickActions(
  uow: UnitOfWork<SignedInCaller>,
  subject: QuickActionSubject,
  commands: readonly ParsedCommand[],
  requestedHead?: string | null,
): Promise<QuickActionResult> {
  const context: QuickActionContext = {
    uow,
    subject,
    requestedHead,
    currentState: subject.currentState,
    changes: {},
    afterUpdate: [],
  };
  const messages: string[] = [];
  for (const { name, argument } of commands) {
    const action = ACTIONS_BY_NAME.get(name)!;
    const commandResult = mayRun(action, subject) ? await action.run(context, argument) : NOT_APPLICABLE;
    const message = commandResult === NOT_APPLICABLE ? `Could not apply ${name} command.` : commandResult;
    if (message !== null) messages.push(message);
  }
  return {
    input: toUpdateInput(subject.currentState, context.currentState),
    changes: context.changes,
    messages,
    async afterUpdate(id) {
      for (const effect of context.afterUpdate) {
        const effectResult = await effect(id);
        // Other failures are ignored: a concurrent request has had the same effect.
        if (isFailure(effectResult) && effectResult.code === 'invalid') return effectResult as Failure<'invalid'>;
      }
      return undefined;
    },
  };
}

function mayRun(
  {
    noteableTypes,
    availableAtCreation: atCreation,
    requiredRight: right,
    allowedToCreator: freeAtCreation,
  }: QuickAction,
  subject: QuickActionSubject,
): boolean {
  if (!noteableTypes.includes(subject.type) || (subject.noteable === null && !atCreation)) return false;
  if (right === 'see' || (freeAtCreation && subject.noteable === null)) return true;
  return { update: subject.mayUpdate, manage: subject.mayManage, time: subject.mayTrackTime, link: subject.mayLink }[
    right
  ];
}

/** Returns the input of an update that changes the state from `before` to `after`. */
function toUpdateInput(before: SubjectState, after: SubjectState): QuickActionInput {
  const ids = (labels: SubjectState['labels']) => labels.map(({ id }) => id);
  const isChanged = (name: keyof SubjectState) => before[name] !== after[name];
  return {
    ...(isChanged('state') && { state_event: after.state === 'closed' ? 'close' : 'reopen' }),
    ...(isChanged('title') && { title: after.title }),
    ...(isChanged('target_branch') && { target_branch: after.target_branch as string }),
    ...(!isSameSet(ids(before.labels), ids(after.labels)) && { labels: after.labels.map(({ title }) => title) }),
    ...(!isSameSet(before.assignees, after.assignees) && { assignee_ids: [...after.assignees] }),
    ...(!isSameSet(before.reviewers, after.reviewers) && { reviewer_ids: [...after.reviewers] }),
    ...(isChanged('milestone_id') && { milestone_id: after.milestone_id }),
    ...(isChanged('iteration_id') && { iteration_id: after.iteration_id }),
    ...(isChanged('issue_type') && { issue_type: 'incident' as const }),
    ...(isChanged('due_date') && { due_date: after.due_date }),
    ...(isChanged('weight') && { weight: after.weight }),
    ...(isChanged('epic_id') && { epic_id: after.epic_id ?? null }),
    ...(isChanged('confidential') && { confidential: after.confidential }),
    ...(isChanged('discussion_locked') && { discussion_locked: after.discussion_locked === true }),
  };
}
