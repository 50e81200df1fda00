import type { SignedInCaller } from '#authentication/caller.ts';
import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import { isSameSet } from '../issuables/index.ts';
import { findLabelsByTitles } from '../labels/index.ts';
import { AFTER_UPDATE_ACTIONS } from './after-update-commands.ts';
import { parseNames } from './arguments.ts';
import type { QuickActionChanges } from './changes.ts';
import {
  ALL_TYPES,
  applyChange,
  type CommandResult,
  MERGE_REQUESTS_ONLY,
  NOT_APPLICABLE,
  type QuickAction,
  type QuickActionContext,
  type QuickActionOptions,
  TYPE_NAMES,
} from './command-context.ts';
import { ISSUE_ACTIONS } from './issue-commands.ts';
import { ITERATION_ACTIONS } from './iteration-commands.ts';
import { LINK_ACTIONS } from './link-commands.ts';
import { type ParsedCommand, type ParsedText, parseCommands } from './parse.ts';
import { PEOPLE_ACTIONS } from './people-commands.ts';
import { PLANNING_ACTIONS } from './planning-commands.ts';
import type { LabelRef, QuickActionInput, QuickActionSubject, RebaseObstacle, SubjectState } from './subject.ts';

// Quick actions for labels. Unknown labels are ignored.

/** Returns the existing labels with the names of the argument, which may also be a single name with blanks. */
async function findLabels({ uow, subject }: QuickActionContext, argument: string): Promise<LabelRef[]> {
  const names = [...new Set([...parseNames(argument, '~'), ...(argument.startsWith('~') ? [] : [argument])])];
  const labelRows = await findLabelsByTitles(uow, await ancestorsAndSelf(uow, subject.parent), names);
  const labelsByTitle = new Map(labelRows.map(({ id, title }) => [title, { id, title }]));
  return names.flatMap((name) => labelsByTitle.get(name) ?? []);
}

const toIds = (labels: readonly LabelRef[]) => labels.map(({ id }) => id);
const includesLabel = (labels: readonly LabelRef[], { id }: LabelRef) => labels.some((label) => label.id === id);

/** Formats labels: `~bug label`, `~bug ~"two words" labels`. */
function formatLabels(labels: readonly LabelRef[]): string {
  const names = labels.map(({ title }) => (/\s/.test(title) ? `~"${title}"` : `~${title}`));
  return `${names.join(' ')} label${names.length === 1 ? '' : 's'}`;
}

async function addLabels(context: QuickActionContext, argument: string): Promise<CommandResult> {
  const labels = await findLabels(context, argument);
  if (labels.length === 0) return null;
  const addedLabels = labels.filter((label) => !includesLabel(context.currentState.labels, label));
  applyChange(context, { labels: [...context.currentState.labels, ...addedLabels] });
  context.changes.add_label_ids = [...(context.changes.add_label_ids ?? []), ...toIds(labels)];
  return `Added ${formatLabels(labels)}.`;
}

async function removeLabels(context: QuickActionContext, argument: string): Promise<CommandResult> {
  if (context.currentState.labels.length === 0) return NOT_APPLICABLE;
  const labels = argument === '' ? context.currentState.labels : await findLabels(context, argument);
  if (labels.length === 0) return null;
  applyChange(context, {
    labels: context.currentState.labels.filter((label) => !includesLabel(labels, label)),
  });
  if (argument === '') {
    context.changes.label_ids = [];
    return 'Removed all labels.';
  }
  context.changes.remove_label_ids = [...(context.changes.remove_label_ids ?? []), ...toIds(labels)];
  return `Removed ${formatLabels(labels)}.`;
}

async function replaceLabels(context: QuickActionContext, argument: string): Promise<CommandResult> {
  const labels = await findLabels(context, argument);
  if (labels.length === 0) return null;
  applyChange(context, { labels });
  context.changes.label_ids = toIds(labels);
  return `Replaced all labels with ${formatLabels(labels)}.`;
}

const LABEL_ACTIONS = [
  {
    names: ['label', 'labels'],
    noteableTypes: ALL_TYPES,
    availableAtCreation: true,
    requiredRight: 'manage',
    run: addLabels,
  },
  { names: ['unlabel', 'remove_label'], noteableTypes: ALL_TYPES, requiredRight: 'manage', run: removeLabels },
  { names: ['relabel'], noteableTypes: ALL_TYPES, requiredRight: 'manage', run: replaceLabels },
] as const satisfies readonly QuickAction[];

// Quick actions for approval, merge, rebase and target branch.

async function approve({ subject, afterUpdate }: QuickActionContext): Promise<CommandResult> {
  const { mergeRequest } = subject;
  if (!(await mergeRequest?.mayApprove())) return NOT_APPLICABLE;
  afterUpdate.push(() => mergeRequest!.approve());
  return 'Approved the current merge request.';
}

async function unapprove({ subject, afterUpdate }: QuickActionContext): Promise<CommandResult> {
  const { mergeRequest } = subject;
  if (!(await mergeRequest?.mayUnapprove())) return NOT_APPLICABLE;
  afterUpdate.push(() => mergeRequest!.unapprove());
  return 'Unapproved the current merge request.';
}

/** Merges in the background, and only the commit that the user has seen. */
async function merge({ subject, requestedHead, changes, afterUpdate }: QuickActionContext): Promise<CommandResult> {
  const { mergeRequest } = subject;
  if (mergeRequest === undefined || !(await mergeRequest.mayMerge())) return NOT_APPLICABLE;
  if (!requestedHead) return 'The `/merge` quick action requires the SHA of the head of the branch.';
  if (requestedHead !== mergeRequest.headSha) return 'Branch has been updated since the merge was requested.';
  changes.merge = requestedHead;
  afterUpdate.push(() => mergeRequest.scheduleMerge());
  return (await mergeRequest.mustWaitToMerge()) ? 'Set to auto-merge.' : 'Merged this merge request.';
}

const REBASE_OBSTACLES: Readonly<Record<RebaseObstacle, string>> = {
  forcePushForbidden: 'This merge request branch is protected from force push.',
  conflict: 'This merge request is currently in an unmergeable state, and cannot be rebased.',
  inProgress: 'A rebase is already in progress.',
};

async function rebase({ subject, changes, afterUpdate }: QuickActionContext): Promise<CommandResult> {
  const { mergeRequest } = subject;
  if (mergeRequest === undefined || !(await mergeRequest.mayRebase())) return NOT_APPLICABLE;
  const obstacle = await mergeRequest.findRebaseObstacle();
  if (obstacle !== null) return REBASE_OBSTACLES[obstacle];
  changes.rebase = true;
  afterUpdate.push(() => mergeRequest.scheduleRebase());
  return `Scheduled a rebase of branch ${mergeRequest.sourceBranch}.`;
}

function setTargetBranch(context: QuickActionContext, argument: string): CommandResult {
  if (argument === '') return null;
  // A new merge request gets its target branch before its branches are read.
  if (context.subject.noteable !== null) applyChange(context, { target_branch: argument });
  context.changes.target_branch = argument;
  return `Set target branch to ${argument}.`;
}

const MERGE_REQUEST_ACTIONS = [
  { names: ['approve'], noteableTypes: MERGE_REQUESTS_ONLY, requiredRight: 'see', run: approve },
  { names: ['unapprove'], noteableTypes: MERGE_REQUESTS_ONLY, requiredRight: 'see', run: unapprove },
  { names: ['merge'], noteableTypes: MERGE_REQUESTS_ONLY, requiredRight: 'see', run: merge },
  { names: ['rebase'], noteableTypes: MERGE_REQUESTS_ONLY, requiredRight: 'see', run: rebase },
  {
    names: ['target_branch'],
    noteableTypes: MERGE_REQUESTS_ONLY,
    availableAtCreation: true,
    requiredRight: 'update',
    run: setTargetBranch,
  },
] as const satisfies readonly QuickAction[];

// Quick actions for state, title and draft.

/** The prefix of a draft's title, in lower case. */
const DRAFT_MARKER = 'draft:';

function close(context: QuickActionContext): CommandResult {
  if (context.currentState.state !== 'opened') return NOT_APPLICABLE;
  applyChange(context, { state: 'closed' });
  context.changes.state_event = 'close';
  return `Closed this ${TYPE_NAMES[context.subject.type]}.`;
}

function reopen(context: QuickActionContext): CommandResult {
  if (context.currentState.state !== 'closed') return NOT_APPLICABLE;
  applyChange(context, { state: 'opened' });
  context.changes.state_event = 'reopen';
  return `Reopened this ${TYPE_NAMES[context.subject.type]}.`;
}

function setTitle(context: QuickActionContext, argument: string): CommandResult {
  if (argument === '') return null;
  applyChange(context, { title: argument });
  context.changes.title = argument;
  return `Changed the title to "${argument}".`;
}

function setDraft(context: QuickActionContext, requestedDraft: boolean): CommandResult {
  const { title } = context.currentState;
  const isDraft = title.toLowerCase().startsWith(DRAFT_MARKER);
  if (isDraft === requestedDraft) return "No change to this merge request's draft status.";
  applyChange(context, {
    title: requestedDraft ? `Draft: ${title}` : title.slice(DRAFT_MARKER.length).trimStart(),
  });
  context.changes.wip_event = requestedDraft ? 'draft' : 'ready';
  return requestedDraft ? 'Marked this merge request as a draft.' : 'Marked this merge request as ready.';
}

const TEXT_ACTIONS = [
  { names: ['close'], noteableTypes: ALL_TYPES, availableAtCreation: true, requiredRight: 'update', run: close },
  { names: ['reopen'], noteableTypes: ALL_TYPES, availableAtCreation: true, requiredRight: 'update', run: reopen },
  { names: ['title'], noteableTypes: ALL_TYPES, requiredRight: 'update', run: setTitle },
  {
    names: ['draft'],
    noteableTypes: MERGE_REQUESTS_ONLY,
    availableAtCreation: true,
    requiredRight: 'update',
    run: (context) => setDraft(context, true),
  },
  {
    names: ['ready'],
    noteableTypes: MERGE_REQUESTS_ONLY,
    availableAtCreation: true,
    requiredRight: 'update',
    run: (context) => setDraft(context, false),
  },
] as const satisfies readonly QuickAction[];

// The list of all quick actions, and their execution. All commands of a text result in one update.

const QUICK_ACTIONS: readonly QuickAction[] = [
  ...TEXT_ACTIONS,
  ...LABEL_ACTIONS,
  ...PEOPLE_ACTIONS,
  ...PLANNING_ACTIONS,
  ...AFTER_UPDATE_ACTIONS,
  ...MERGE_REQUEST_ACTIONS,
  ...LINK_ACTIONS,
  ...ITERATION_ACTIONS,
  ...ISSUE_ACTIONS,
];

const ACTIONS_BY_NAME = new Map(QUICK_ACTIONS.map((action) => [action.names[0] as string, action]));

/** Maps each name and alias to the first name of its action. */
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

/** Evaluates the commands in order, without writing anything. The caller applies `input`, then runs `afterUpdate`. */
export async function runQuickActions(
  uow: UnitOfWork<SignedInCaller>,
  subject: QuickActionSubject,
  commands: readonly ParsedCommand[],
  options: QuickActionOptions,
): Promise<QuickActionResult> {
  const context: QuickActionContext = {
    uow,
    subject,
    ...options,
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

/** Returns whether the action exists for the noteable, and the caller has the required right. */
function mayRun(
  { noteableTypes, availableAtCreation, allowedToCreator, requiredRight }: QuickAction,
  { type, noteable, mayUpdate, mayManage, mayTrackTime, mayLink }: QuickActionSubject,
): boolean {
  const isNew = noteable === null;
  if (!noteableTypes.includes(type) || (isNew && !availableAtCreation)) return false;
  if (isNew && allowedToCreator) return true;
  return { see: true, update: mayUpdate, manage: mayManage, time: mayTrackTime, link: mayLink }[requiredRight];
}

/** Returns the input of an update that changes the state from `before` to `after`. */
function toUpdateInput(before: SubjectState, after: SubjectState): QuickActionInput {
  const isChanged = (name: keyof SubjectState) => before[name] !== after[name];
  return {
    ...(isChanged('state') && { state_event: after.state === 'closed' ? 'close' : 'reopen' }),
    ...(isChanged('title') && { title: after.title }),
    ...(isChanged('target_branch') && { target_branch: after.target_branch as string }),
    ...(!isSameSet(toIds(before.labels), toIds(after.labels)) && { labels: after.labels.map(({ title }) => title) }),
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
