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
  const byTitle = new Map(labelRows.map(({ id, title }) => [title, { id, title }]));
  return names.flatMap((name) => byTitle.get(name) ?? []);
}

const idsOf = (labels: readonly LabelRef[]) => labels.map(({ id }) => id);
const isOneOf =
  (labels: readonly LabelRef[]) =>
  ({ id }: LabelRef) =>
    labels.some((other) => other.id === id);

/** Formats labels: `~bug label`, `~bug ~"two words" labels`. */
function formatLabels(labels: readonly LabelRef[]): string {
  const names = labels.map(({ title }) => (/\s/.test(title) ? `~"${title}"` : `~${title}`));
  return `${names.join(' ')} label${names.length === 1 ? '' : 's'}`;
}

async function add(context: QuickActionContext, argument: string): Promise<CommandResult> {
  const labels = await findLabels(context, argument);
  if (labels.length === 0) return null;
  const addedLabels = labels.filter((one) => !isOneOf(context.now.labels)(one));
  context.now = { ...context.now, labels: [...context.now.labels, ...addedLabels] };
  context.changes.add_label_ids = [...(context.changes.add_label_ids ?? []), ...idsOf(labels)];
  return `Added ${formatLabels(labels)}.`;
}

async function remove(context: QuickActionContext, argument: string): Promise<CommandResult> {
  if (context.now.labels.length === 0) return NOT_APPLICABLE;
  const labels = argument === '' ? context.now.labels : await findLabels(context, argument);
  if (labels.length === 0) return null;
  context.now = { ...context.now, labels: context.now.labels.filter((one) => !isOneOf(labels)(one)) };
  if (argument === '') {
    context.changes.label_ids = [];
    return 'Removed all labels.';
  }
  context.changes.remove_label_ids = [...(context.changes.remove_label_ids ?? []), ...idsOf(labels)];
  return `Removed ${formatLabels(labels)}.`;
}

async function replace(context: QuickActionContext, argument: string): Promise<CommandResult> {
  const labels = await findLabels(context, argument);
  if (labels.length === 0) return null;
  context.now = { ...context.now, labels };
  context.changes.label_ids = idsOf(labels);
  return `Replaced all labels with ${formatLabels(labels)}.`;
}

export const LABEL_ACTIONS = [
  { names: ['label', 'labels'], noteableTypes: ALL_TYPES, atCreation: true, right: 'manage', run: add },
  { names: ['unlabel', 'remove_label'], noteableTypes: ALL_TYPES, right: 'manage', run: remove },
  { names: ['relabel'], noteableTypes: ALL_TYPES, right: 'manage', run: replace },
] as const satisfies readonly QuickAction[];
