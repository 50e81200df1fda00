import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import { findLabelsByTitles } from '../labels/index.ts';
import { parseNames } from './arguments.ts';
import {
  ALL_TYPES,
  type CommandResult,
  NOT_APPLICABLE,
  type QuickAction,
  type QuickActionContext,
} from './command-context.ts';
import type { LabelRef } from './subject.ts';

// Quick actions for labels. Unknown labels are ignored.

async function findLabels({ uow, subject }: QuickActionContext, argument: string): Promise<LabelRef[]> {
  const names = [...new Set([...parseNames(argument, '~'), ...(argument.startsWith('~') ? [] : [argument])])];
  const labelRows = await findLabelsByTitles(uow, await ancestorsAndSelf(uow, subject.parent), names);
  const labelsByTitle = new Map(labelRows.map(({ id, title }) => [title, { id, title }]));
  return names.flatMap((name) => labelsByTitle.get(name) ?? []);
}

const toIds = (labels: readonly LabelRef[]) => labels.map(({ id }) => id);
const isIn =
  (labels: readonly LabelRef[]) =>
  ({ id }: LabelRef) =>
    labels.some((other) => other.id === id);

/** Formats labels: `~bug label`, `~bug ~"two words" labels`. */
function formatLabels(labels: readonly LabelRef[]): string {
  const names = labels.map(({ title }) => (/\s/.test(title) ? `~"${title}"` : `~${title}`));
  return `${names.join(' ')} label${names.length === 1 ? '' : 's'}`;
}

async function addLabels(context: QuickActionContext, argument: string): Promise<CommandResult> {
  const labels = await findLabels(context, argument);
  if (labels.length === 0) return null;
  const addedLabels = labels.filter((label) => !isIn(context.currentState.labels)(label));
  context.currentState = { ...context.currentState, labels: [...context.currentState.labels, ...addedLabels] };
  context.changes.add_label_ids = [...(context.changes.add_label_ids ?? []), ...toIds(labels)];
  return `Added ${formatLabels(labels)}.`;
}

async function removeLabels(context: QuickActionContext, argument: string): Promise<CommandResult> {
  if (context.currentState.labels.length === 0) return NOT_APPLICABLE;
  const labels = argument === '' ? context.currentState.labels : await findLabels(context, argument);
  if (labels.length === 0) return null;
  context.currentState = {
    ...context.currentState,
    labels: context.currentState.labels.filter((label) => !isIn(labels)(label)),
  };
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
  context.currentState = { ...context.currentState, labels };
  context.changes.label_ids = toIds(labels);
  return `Replaced all labels with ${formatLabels(labels)}.`;
}

export const LABEL_ACTIONS = [
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
