import { ALL, CALLED, type Doing, type Done, NOT_DONE, type Row } from './command-context.ts';

/** State, title and draft. */

const DRAFT = 'Draft: ';

function close(doing: Doing): Done {
  if (doing.now.state !== 'opened') return NOT_DONE;
  doing.now = { ...doing.now, state: 'closed' };
  doing.changes.state_event = 'close';
  return `Closed this ${CALLED[doing.subject.type]}.`;
}

function reopen(doing: Doing): Done {
  if (doing.now.state !== 'closed') return NOT_DONE;
  doing.now = { ...doing.now, state: 'opened' };
  doing.changes.state_event = 'reopen';
  return `Reopened this ${CALLED[doing.subject.type]}.`;
}

function title(doing: Doing, argument: string): Done {
  if (argument === '') return null;
  doing.now = { ...doing.now, title: argument };
  doing.changes.title = argument;
  return `Changed the title to "${argument}".`;
}

const isDraft = (text: string) => text.slice(0, 6).toLowerCase() === 'draft:';

function draft(doing: Doing, wanted: boolean): Done {
  const { title: text } = doing.now;
  if (isDraft(text) === wanted) return "No change to this merge request's draft status.";
  doing.now = { ...doing.now, title: wanted ? `${DRAFT}${text}` : text.slice(6).trimStart() };
  doing.changes.wip_event = wanted ? 'draft' : 'ready';
  return wanted ? 'Marked this merge request as a draft.' : 'Marked this merge request as ready.';
}

export const TEXTS = [
  { names: ['close'], on: ALL, atCreation: true, right: 'update', run: close },
  { names: ['reopen'], on: ALL, atCreation: true, right: 'update', run: reopen },
  { names: ['title'], on: ALL, right: 'update', run: title },
  { names: ['draft'], on: ['MergeRequest'], atCreation: true, right: 'update', run: (doing) => draft(doing, true) },
  { names: ['ready'], on: ['MergeRequest'], atCreation: true, right: 'update', run: (doing) => draft(doing, false) },
] as const satisfies readonly Row[];
