import { Type } from 'typebox';
import { UserBasic, usersById } from '#api/identity/users/index.ts';
import type { Reader } from '#database/database.ts';
import { textsOf } from '#database/long-texts.ts';
import { prepareForIds } from '#database/prepare.ts';
import { stillThere } from '#domain/row-deleted.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { nullable, shape } from '#http/endpoint/responses.ts';
import { LabelBasic, type LabelBasicRow } from '../labels/index.ts';
import { Milestone, milestonesById } from '../milestones/index.ts';
import { assigneesOf } from './assignees.ts';
import { byKind, type Kind, type LabelledKind } from './kind.ts';
import { labelsOn } from './labels.ts';
import { humanDuration } from './time/durations.ts';

/** What issues and merge requests show alike (contract/planning.md §1). */

interface Timed {
  readonly time_estimate: number;
  readonly total_time_spent: number;
}

/** How long it should take, and has taken so far. */
export const TimeStats = entity('TimeStats', {
  time_estimate: Type.Integer(),
  total_time_spent: Type.Integer(),
  human_time_estimate: nullable(Type.String()),
  human_total_time_spent: nullable(Type.String()),
}).from(({ time_estimate, total_time_spent }: Timed) => ({
  time_estimate,
  total_time_spent,
  human_time_estimate: humanDuration(time_estimate),
  human_total_time_spent: humanDuration(total_time_spent),
}));

export const taskCompletionStatus = shape('TaskCompletionStatus', {
  count: Type.Integer(),
  completed_count: Type.Integer(),
});

export const references = shape('References', { short: Type.String(), relative: Type.String(), full: Type.String() });

/** What is asked for besides things, for all of them at once. */
interface Shown {
  readonly id: number;
  readonly project_id: number;
  readonly milestone_id: number | null;
}

/** What things need beside their rows; `userIds` are of whom they name besides their assignees. */
export async function besideThings(
  kind: Kind,
  things: readonly Shown[],
  userIds: readonly (number | null)[],
  to: SerializationContext,
) {
  const { db } = to;
  const ids = things.map(({ id }) => id);
  const [assigned, labelled] = [await assigneesOf(db, kind, ids), await labelsOn(db, kind, ids)];
  const [users, places] = await Promise.all([
    usersById(db, [...userIds, ...assigned.map(({ user_id }) => user_id)]),
    placesOf(
      db,
      things.map(({ project_id }) => project_id),
    ),
  ]);
  return {
    /** A user who is named; `RowDeleted` if he has gone meanwhile. */
    user: (id: number) => UserBasic.serialize(stillThere(users.get(id)), to),
    places: new Map(places.map((place) => [place.id, place])),
    assigned: Map.groupBy(assigned, ({ thing_id }) => thing_id),
    milestones: await shownMilestones(things, to),
    labelled: Map.groupBy(labelled, ({ thing_id }) => thing_id),
  };
}

async function shownMilestones(things: readonly Shown[], to: SerializationContext) {
  const rows = await milestonesById(
    to.db,
    things.map(({ milestone_id }) => milestone_id),
  );
  const shapes = await Milestone.serializeAll([...rows.values()], to);
  return new Map(shapes.map((shown) => [shown.id, shown]));
}

/** Where things are: the full path of each project, and what it is in. */
export async function placesOf(db: Reader, projectIds: readonly number[]) {
  return places(db, [...new Set(projectIds)]);
}

// index: routes_by_project, projects primary key, namespaces primary key
const places = prepareForIds((db, ids) =>
  db
    .selectFrom('projects')
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select(['projects.id', 'projects.path', 'projects.namespace_id', 'routes.full_path', 'namespaces.kind'])
    .where('projects.id', 'in', ids),
);

type Place = Awaited<ReturnType<typeof placesOf>>[number];

/** Where a reference is read: in the thing's project, in the group of this id, or in no place. */
export type SeenFrom = 'project' | number | null;

/** How a thing is referred to: shortly in its project, by the project's path in its group, wholly elsewhere. */
export function referencesTo(short: string, { path, full_path, namespace_id }: Place, seenFrom: SeenFrom) {
  const full = `${full_path}${short}`;
  const relative = seenFrom === 'project' ? short : seenFrom === namespace_id ? `${path}${short}` : full;
  return { short, relative, full };
}

const descriptionsOf = byKind((kind: LabelledKind) => textsOf(kind.things, 'description'));

/**
 * What the things of a list show besides: their descriptions, which the rows of lists leave out, and their labels, as titles
 * or, `with_labels_details`, as more than that.
 */
export async function besideListed(
  kind: LabelledKind,
  things: readonly { readonly id: number }[],
  labelled: ReadonlyMap<number, readonly LabelBasicRow[]>,
  to: SerializationContext,
) {
  const ids = things.map(({ id }) => id);
  const descriptions = await descriptionsOf(kind)(to.db, ids);
  const details = to.params.with_labels_details ? await labelDetails([...labelled.values()].flat(), to) : null;
  return {
    description: (id: number) => descriptions.get(id) ?? null,
    labels: (id: number) => (labelled.get(id) ?? []).map((label) => details?.get(label.id) ?? label.title),
  };
}

async function labelDetails(rows: readonly LabelBasicRow[], to: SerializationContext) {
  const labels = new Map(rows.map((label) => [label.id, label]));
  const shapes = await LabelBasic.serializeAll([...labels.values()], to);
  return new Map(shapes.map((shape) => [shape.id, shape]));
}

/** The field of `labels` in lists. */
export const labelsInList = Type.Array(Type.Union([Type.String(), LabelBasic.schema]));
