import { sql } from 'kysely';
import { resourceOfRow } from '#activity/index.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { type Place, reachOf } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { labelsTitled, nameLabels } from '../labels/index.ts';
import { byKind, type LabelledKind } from './kind.ts';
import { difference, type Linked, link } from './link-tables.ts';

/** What things are labelled with. */

/** The labels that these things bear, by title. index: issue_labels_pkey, labels primary key */
export async function labelsOn(db: Reader, kind: LabelledKind, ids: readonly number[]) {
  const rows = await borne(kind)(db, ids);
  return rows.sort((one, other) => (one.title < other.title ? -1 : one.title > other.title ? 1 : one.id - other.id));
}

const borne = byKind((kind: LabelledKind) =>
  prepareForIds((db, ids) =>
    db
      .selectFrom(kind.labels)
      .innerJoin('labels', 'labels.id', `${kind.labels}.label_id`)
      .select(['labels.id', 'labels.title', 'labels.color', 'labels.archived'])
      .select(thingOf(kind).as('thing_id'))
      .where(thingOf(kind), 'in', ids),
  ),
);

const thingOf = (kind: LabelledKind) => sql.ref<number>(`${kind.labels}.${kind.id}`);

/** Which labels a caller wants a thing to bear, by their titles. */
export interface LabelWish {
  /** In place of all that there are. */
  readonly labels?: readonly string[] | null | undefined;
  readonly add_labels?: readonly string[] | null | undefined;
  readonly remove_labels?: readonly string[] | null | undefined;
}

interface Borne {
  readonly id: number;
  readonly title: string;
}

/** The ids of the labels that a thing bears by this wish. Unknown ones are made where the caller may, else left out. */
export async function wishedLabels(
  uow: UnitOfWork,
  place: Place,
  before: readonly Borne[],
  { labels, add_labels, remove_labels }: LabelWish,
): Promise<number[]> {
  const kept = labels == null ? before : before.filter(({ title }) => labels.includes(title));
  const known = new Set(kept.map(({ title }) => title));
  const wanted = [...(labels ?? []), ...(add_labels ?? [])].filter((title) => !known.has(title));
  const come = wanted.length === 0 ? [] : await nameLabels(uow, place, wanted);
  const removed = new Set(remove_labels ?? []);
  return [...kept, ...come].filter(({ title }) => !removed.has(title)).map(({ id }) => id);
}

/** Makes `now` of the labels `before`, which the history of the thing's labels tells. index: issue_labels_pkey */
export async function label(uow: UnitOfWork, kind: LabelledKind, id: number, linked: Linked): Promise<void> {
  await link(uow, linksOf(kind), id, linked);
  const { gone, come } = difference(linked);
  await uow.record({ labelsOf: resourceOfRow({ [kind.id]: id }), removed: gone, added: come });
}

/** The labels that a thing brings along from another server: no history tells of them. */
export function labelImported(tx: Transaction, kind: LabelledKind, id: number, now: readonly number[]): Promise<void> {
  return link(tx, linksOf(kind), id, { before: [], now });
}

const linksOf = (kind: LabelledKind) => ({ table: kind.labels, of: kind.id, to: 'label_id' }) as const;

/** Of these titles the labels that there are for things of the project. */
export async function labelsKnown(db: Reader, project: Project, titles: readonly string[]): Promise<number[]> {
  const found = await labelsTitled(db, await reachOf(db, { project }), titles);
  return found.map(({ id }) => id);
}
