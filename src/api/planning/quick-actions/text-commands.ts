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
  if (context.now.state !== 'opened') return NOT_APPLICABLE;
  context.now = { ...context.now, state: 'closed' };
  context.changes.state_event = 'close';
  return `Closed this ${TYPE_NAMES[context.subject.type]}.`;
}

function reopen(context: QuickActionContext): CommandResult {
  if (context.now.state !== 'closed') return NOT_APPLICABLE;
  context.now = { ...context.now, state: 'opened' };
  context.changes.state_event = 'reopen';
  return `Reopened this ${TYPE_NAMES[context.subject.type]}.`;
}

function setTitle(context: QuickActionContext, argument: string): CommandResult {
  if (argument === '') return null;
  context.now = { ...context.now, title: argument };
  context.changes.title = argument;
  return `Changed the title to "${argument}".`;
}

const isDraft = (text: string) => text.slice(0, 6).toLowerCase() === 'draft:';

function setDraft(context: QuickActionContext, requestedDraft: boolean): CommandResult {
  const { title } = context.now;
  if (isDraft(title) === requestedDraft) return "No change to this merge request's draft status.";
  context.now = { ...context.now, title: requestedDraft ? `${DRAFT_PREFIX}${title}` : title.slice(6).trimStart() };
  context.changes.wip_event = requestedDraft ? 'draft' : 'ready';
  return requestedDraft ? 'Marked this merge request as a draft.' : 'Marked this merge request as ready.';
}

export const TEXT_ACTIONS = [
  { names: ['close'], noteableTypes: ALL_TYPES, atCreation: true, right: 'update', run: close },
  { names: ['reopen'], noteableTypes: ALL_TYPES, atCreation: true, right: 'update', run: reopen },
  { names: ['title'], noteableTypes: ALL_TYPES, right: 'update', run: setTitle },
  {
    names: ['draft'],
    noteableTypes: ['MergeRequest'],
    atCreation: true,
    right: 'update',
    run: (context) => setDraft(context, true),
  },
  {
    names: ['ready'],
    noteableTypes: ['MergeRequest'],
    atCreation: true,
    right: 'update',
    run: (context) => setDraft(context, false),
  },
] as const satisfies readonly QuickAction[];
