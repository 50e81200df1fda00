import {
  ALL_TYPES,
  type CommandResult,
  NOT_APPLICABLE,
  type QuickAction,
  type QuickActionContext,
  TYPE_NAMES,
} from './command-context.ts';

// Quick actions for state, title and draft.

const DRAFT_PREFIX = 'Draft: ';

function close(context: QuickActionContext): CommandResult {
  if (context.currentState.state !== 'opened') return NOT_APPLICABLE;
  context.currentState = { ...context.currentState, state: 'closed' };
  context.changes.state_event = 'close';
  return `Closed this ${TYPE_NAMES[context.subject.type]}.`;
}

function reopen(context: QuickActionContext): CommandResult {
  if (context.currentState.state !== 'closed') return NOT_APPLICABLE;
  context.currentState = { ...context.currentState, state: 'opened' };
  context.changes.state_event = 'reopen';
  return `Reopened this ${TYPE_NAMES[context.subject.type]}.`;
}

function setTitle(context: QuickActionContext, argument: string): CommandResult {
  if (argument === '') return null;
  context.currentState = { ...context.currentState, title: argument };
  context.changes.title = argument;
  return `Changed the title to "${argument}".`;
}

const isDraft = (text: string) => text.slice(0, 6).toLowerCase() === 'draft:';

function setDraft(context: QuickActionContext, requestedDraft: boolean): CommandResult {
  const { title } = context.currentState;
  if (isDraft(title) === requestedDraft) return "No change to this merge request's draft status.";
  context.currentState = {
    ...context.currentState,
    title: requestedDraft ? `${DRAFT_PREFIX}${title}` : title.slice(6).trimStart(),
  };
  context.changes.wip_event = requestedDraft ? 'draft' : 'ready';
  return requestedDraft ? 'Marked this merge request as a draft.' : 'Marked this merge request as ready.';
}

export const TEXT_ACTIONS = [
  { names: ['close'], noteableTypes: ALL_TYPES, availableAtCreation: true, requiredRight: 'update', run: close },
  { names: ['reopen'], noteableTypes: ALL_TYPES, availableAtCreation: true, requiredRight: 'update', run: reopen },
  { names: ['title'], noteableTypes: ALL_TYPES, requiredRight: 'update', run: setTitle },
  {
    names: ['draft'],
    noteableTypes: ['MergeRequest'],
    availableAtCreation: true,
    requiredRight: 'update',
    run: (context) => setDraft(context, true),
  },
  {
    names: ['ready'],
    noteableTypes: ['MergeRequest'],
    availableAtCreation: true,
    requiredRight: 'update',
    run: (context) => setDraft(context, false),
  },
] as const satisfies readonly QuickAction[];
