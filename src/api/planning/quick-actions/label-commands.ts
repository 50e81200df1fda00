import { reachOf } from '#domain/namespaces/scope.ts';
import { labelsTitled } from '../labels/index.ts';
import { namesIn } from './arguments.ts';
import { ALL, type Doing, type Done, NOT_DONE, type Row } from './command-context.ts';
import type { Labelled } from './subject.ts';

/** Labels that there are; unknown ones are left out. */

async function named({ uow, subject }: Doing, argument: string): Promise<Labelled[]> {
  const names = [...new Set([...namesIn(argument, '~'), ...(argument.startsWith('~') ? [] : [argument])])];
  const found = await labelsTitled(uow, await reachOf(uow, subject.place), names);
  const byTitle = new Map(found.map(({ id, title }) => [title, { id, title }]));
  return names.flatMap((name) => byTitle.get(name) ?? []);
}

const idsOf = (labels: readonly Labelled[]) => labels.map(({ id }) => id);
const isOneOf =
  (labels: readonly Labelled[]) =>
  ({ id }: Labelled) =>
    labels.some((other) => other.id === id);

/** `~bug label`, `~bug ~"two words" labels` */
function told(labels: readonly Labelled[]): string {
  const names = labels.map(({ title }) => (/\s/.test(title) ? `~"${title}"` : `~${title}`));
  return `${names.join(' ')} label${names.length === 1 ? '' : 's'}`;
}

async function add(doing: Doing, argument: string): Promise<Done> {
  const labels = await named(doing, argument);
  if (labels.length === 0) return null;
  const come = labels.filter((one) => !isOneOf(doing.now.labels)(one));
  doing.now = { ...doing.now, labels: [...doing.now.labels, ...come] };
  doing.changes.add_label_ids = [...(doing.changes.add_label_ids ?? []), ...idsOf(labels)];
  return `Added ${told(labels)}.`;
}

async function remove(doing: Doing, argument: string): Promise<Done> {
  if (doing.now.labels.length === 0) return NOT_DONE;
  const labels = argument === '' ? doing.now.labels : await named(doing, argument);
  if (labels.length === 0) return null;
  doing.now = { ...doing.now, labels: doing.now.labels.filter((one) => !isOneOf(labels)(one)) };
  if (argument === '') {
    doing.changes.label_ids = [];
    return 'Removed all labels.';
  }
  doing.changes.remove_label_ids = [...(doing.changes.remove_label_ids ?? []), ...idsOf(labels)];
  return `Removed ${told(labels)}.`;
}

async function replace(doing: Doing, argument: string): Promise<Done> {
  const labels = await named(doing, argument);
  if (labels.length === 0) return null;
  doing.now = { ...doing.now, labels };
  doing.changes.label_ids = idsOf(labels);
  return `Replaced all labels with ${told(labels)}.`;
}

export const LABELS = [
  { names: ['label', 'labels'], on: ALL, atCreation: true, right: 'manage', run: add },
  { names: ['unlabel', 'remove_label'], on: ALL, right: 'manage', run: remove },
  { names: ['relabel'], on: ALL, right: 'manage', run: replace },
] as const satisfies readonly Row[];
