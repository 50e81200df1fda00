import { type SqlBool, sql } from 'kysely';
import { columnOf, type Resource } from '#activity/index.ts';
import type { Reader } from '#database/database.ts';
import { isLive } from '#domain/members/membership-expiry.ts';
import type { Source } from '#domain/members/memberships.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import type { FreshMatter, Matter } from '../subjects/subject.ts';
import type { Involvement } from './notification-rules.ts';

/**
 * Who may be told of a matter: very many watch some projects, so they come by pieces, in the order of their ids. All who
 * belong to a piece are in it, with everything as what they may be told.
 */

/** Those of one sort after an id, the lowest ids first, so many at most. */
type Sort = (after: number, most: number) => Promise<readonly number[]>;

interface Piece {
  readonly involvements: ReadonlyMap<number, ReadonlySet<Involvement>>;
  /** After which the next piece begins; null: there is none. */
  readonly last: number | null;
}

/** So many at most, with an id above `after`. */
export async function pieceOfAudience(db: Reader, matter: FreshMatter, after: number, most: number): Promise<Piece> {
  const sorts = sortsOf(db, matter);
  const found = await Promise.all(
    sorts.map(async ([involvement, sort]) => ({ involvement, ids: await sort(after, most) })),
  );
  const all = [...new Set(found.flatMap(({ ids }) => ids))].sort((one, other) => one - other);
  const ids = all.slice(0, most);
  // A sort that has given as many as it was asked for has given all up to the last of them, which is not before ours.
  const involvements = new Map(ids.map((id) => [id, new Set<Involvement>()]));
  for (const { involvement, ids } of found) for (const id of ids) involvements.get(id)?.add(involvement);
  const isWhole = all.length <= most && found.every(({ ids }) => ids.length < most);
  return { involvements, last: isWhole ? null : ids.at(-1)! };
}

function sortsOf(db: Reader, matter: FreshMatter): [Involvement, Sort][] {
  // Only whose pipeline it is.
  if (matter.pipeline !== null) return [['watch', known([matter.pipeline.user_id].filter((id) => id !== null))]];
  return matter.event === 'moved_project' || matter.alert !== null ? incharge(db, matter) : involved(db, matter);
}

function involved(db: Reader, matter: FreshMatter): [Involvement, Sort][] {
  const { resource, place, authorId, assignees, reviewers, named } = matter;
  const takingPart = [...(authorId === null ? [] : [authorId]), ...assignees, ...reviewers];
  return [
    ['participating', known(takingPart)],
    ['mention', known(named)],
    ['watch', curious(db, place.projectId, place.groupIds, place.sources)],
    ...(resource === null ? [] : atThing(db, resource)),
    ...(resource !== null && IS_NEW.has(matter.event) ? [ofLabels(db, resource, place.projectId)] : []),
  ];
}

const known =
  (ids: readonly number[]): Sort =>
  async (after, most) =>
    [...new Set(ids)]
      .filter((id) => id > after)
      .sort((one, other) => one - other)
      .slice(0, most);

function atThing(db: Reader, { type, id }: Resource): [Involvement, Sort][] {
  const column = columnOf(type);
  // index: notes_by_issue_created, notes_by_merge_request_created, notes_by_epic_created
  const commenting: Sort = async (after, most) => {
    const rows = await db
      .selectFrom('notes')
      .select('author_id')
      .distinct()
      .where(column, '=', id)
      .where('system', '=', false)
      .where('author_id', '>', after)
      .orderBy('author_id')
      .limit(most)
      .execute();
    return rows.map(({ author_id }) => author_id);
  };
  // index: mail_mentions_by_issue, mail_mentions_by_merge_request, mail_mentions_by_epic
  const mentioned: Sort = async (after, most) => {
    const rows = db.selectFrom('mail_mentions').select('user_id').where(column, '=', id).where('user_id', '>', after);
    return idsOf(await rows.orderBy('user_id').limit(most).execute());
  };
  // index: subscriptions_by_issue, subscriptions_by_merge_request, subscriptions_by_epic
  const subscribed: Sort = async (after, most) => {
    const rows = db.selectFrom('subscriptions').select('user_id').where(column, '=', id).where('user_id', '>', after);
    return idsOf(await rows.where('subscribed', '=', true).orderBy('user_id').limit(most).execute());
  };
  return [
    ['participating', commenting],
    ['participating', mentioned],
    ['subscription', subscribed],
  ];
}

/** What begins: who is subscribed to a label of it hears of that. */
const IS_NEW: ReadonlySet<Matter['event']> = new Set(['new_issue', 'new_merge_request', 'new_epic']);

const LABELS = {
  Issue: 'issue_labels',
  MergeRequest: 'merge_request_labels',
  Epic: 'epic_labels',
} as const satisfies Record<Resource['type'], string>;

/** Subscribed to its labels, in its project or everywhere. index: issue_labels_pkey, merge_request_labels_pkey, epic_labels_pkey, label_subscriptions_by_label */
function ofLabels(db: Reader, { type, id }: Resource, projectId: number | null): [Involvement, Sort] {
  const table = LABELS[type];
  return [
    'subscription',
    async (after, most) => {
      const rows = await db
        .selectFrom('label_subscriptions')
        .select('user_id')
        .distinct()
        .where(
          sql<SqlBool>`label_id in (select label_id from ${sql.table(table)} where ${sql.ref(columnOf(type))} = ${id})`,
        )
        .where((eb) => eb.or([eb('project_id', 'is', null), eb('project_id', '=', projectId ?? 0)]))
        .where('user_id', '>', after)
        .orderBy('user_id')
        .limit(most)
        .execute();
      return idsOf(rows);
    },
  ];
}

// Written out, because only so do the indexes of those few serve.
const IS_CURIOUS = sql<SqlBool>`notification_settings.level in ('watch', 'custom')`;
/** Or wants it to be there as everywhere: what that is, is asked of each. */
const MAY_BE_CURIOUS = sql<SqlBool>`notification_settings.level in ('watch', 'custom', 'global')`;

/**
 * Those who have chosen for the project, or a group above it, that they want to hear of what they have no part in, and its
 * members who have chosen so for everything. index: notification_settings_curious_project, notification_settings_curious_group, notification_settings_curious_everywhere, memberships_by_source
 */
function curious(db: Reader, projectId: number | null, groupIds: readonly number[], sources: readonly Source[]): Sort {
  return async (after, most) => {
    const choosing = db
      .selectFrom('notification_settings')
      .select('notification_settings.user_id')
      .where('notification_settings.user_id', '>', after);
    const some = (query: typeof choosing) => query.orderBy('notification_settings.user_id').limit(most).execute();
    const found = await Promise.all([
      projectId === null ? [] : some(choosing.where(MAY_BE_CURIOUS).where('project_id', '=', projectId)),
      ...groupIds.map((id) => some(choosing.where(MAY_BE_CURIOUS).where('group_id', '=', id))),
      some(
        choosing
          .where(IS_CURIOUS)
          .where('group_id', 'is', null)
          .where('project_id', 'is', null)
          .where((eb) => eb('notification_settings.user_id', 'in', members(db, sources).select('memberships.user_id'))),
      ),
    ]);
    return [...new Set(found.flatMap(idsOf))].sort((one, other) => one - other).slice(0, most);
  };
}

/** Live memberships of these groups and projects. index: memberships_by_source */
function members(db: Reader, sources: readonly Source[]) {
  return db
    .selectFrom('memberships')
    .where((eb) =>
      eb.or(
        sources.map(({ type, id }) =>
          eb.and([eb('memberships.source_type', '=', type), eb('memberships.source_id', '=', id)]),
        ),
      ),
    )
    .where(isLive('memberships.expires_at', db.today));
}

/** Who answers for the project: its Owners and Maintainers. */
function incharge(db: Reader, { place }: Matter): [Involvement, Sort][] {
  return [
    [
      'custom',
      async (after, most) => {
        const rows = members(db, place.sources)
          .select('memberships.user_id')
          .distinct()
          .where('memberships.access_level', '>=', MAINTAINER)
          .where('memberships.user_id', '>', after);
        return idsOf(await rows.orderBy('memberships.user_id').limit(most).execute());
      },
    ],
  ];
}

const idsOf = (rows: readonly { readonly user_id: number }[]) => rows.map(({ user_id }) => user_id);
