import { type SqlBool, sql } from 'kysely';
import { getForeignKeyColumn, type NotificationTarget, type Resource } from '#activity/index.ts';
import type { Reader } from '#database/database.ts';
import type { MemberSourceRef } from '#domain/members/memberships.ts';
import { isActiveMembership, MAINTAINER } from '#domain/members/roles.ts';
import type { MailSubject, NewMailSubject } from '../subjects/subject.ts';
import type { Involvement } from './notification-rules.ts';

// Candidates for a notification. A project can have very many watchers, so candidates are read in batches ordered by id. Each
// candidate of a batch has all their involvements.

/** Returns at most `limit` user ids after an id, in ascending order. */
type CandidateSource = (afterId: number, limit: number) => Promise<readonly number[]>;

/** A source, and how its users are involved. */
type InvolvementSource = readonly [Involvement, CandidateSource];

interface CandidateBatch {
  readonly involvements: ReadonlyMap<number, ReadonlySet<Involvement>>;
  /** The id after which the next batch starts; null if this is the last batch. */
  readonly lastId: number | null;
}

/** Returns the next batch: at most `limit` candidates with an id above `afterId`. */
export async function loadCandidateBatch(
  db: Reader,
  subject: NewMailSubject,
  afterId: number,
  limit: number,
): Promise<CandidateBatch> {
  const sources = selectSources(db, subject);
  const idLists = await Promise.all(
    sources.map(async ([involvement, source]) => ({ involvement, ids: await source(afterId, limit) })),
  );
  const sortedIds = [...new Set(idLists.flatMap(({ ids }) => ids))].sort((one, other) => one - other);
  const batchIds = sortedIds.slice(0, limit);
  // A source that returned `limit` ids can have more only after its last id, and `batchIds` does not exceed that.
  const involvements = new Map(batchIds.map((id) => [id, new Set<Involvement>()]));
  for (const { involvement, ids } of idLists) for (const id of ids) involvements.get(id)?.add(involvement);
  const isComplete = sortedIds.length <= limit && idLists.every(({ ids }) => ids.length < limit);
  return { involvements, lastId: isComplete ? null : batchIds.at(-1)! };
}

function selectSources(db: Reader, subject: NewMailSubject): InvolvementSource[] {
  // A pipeline notifies only its user. `watch` counts as no involvement, so only the user's level decides.
  if (subject.pipeline !== null)
    return [['watch', fixedSource([subject.pipeline.user_id].filter((id) => id !== null))]];
  return subject.event === 'moved_project' || subject.alert !== null
    ? maintainerSources(db, subject)
    : participantSources(db, subject);
}

function participantSources(db: Reader, subject: NewMailSubject): InvolvementSource[] {
  const { resource, noteTarget, container, authorId, assignees, reviewers, addressedUserIds } = subject;
  const participantIds = [...(authorId === null ? [] : [authorId]), ...assignees, ...reviewers];
  return [
    ['participating', fixedSource(participantIds)],
    ['mention', fixedSource(addressedUserIds)],
    ['watch', watcherSource(db, container.projectId, container.groupIds, container.memberSources)],
    ...(noteTarget === null ? [] : discussionSources(db, noteTarget)),
    ...(resource === null ? [] : [subscriberSource(db, resource)]),
    ...(resource !== null && CREATION_EVENTS.has(subject.event)
      ? [labelSubscriberSource(db, resource, container.projectId)]
      : []),
  ];
}

/** Returns a source of these ids. */
const fixedSource =
  (ids: readonly number[]): CandidateSource =>
  async (afterId, limit) =>
    [...new Set(ids)]
      .filter((id) => id > afterId)
      .sort((one, other) => one - other)
      .slice(0, limit);

/** Returns the sources of users who commented on the noteable or were mentioned in it. */
function discussionSources(db: Reader, { type, id }: NotificationTarget): InvolvementSource[] {
  const column = getForeignKeyColumn(type);
  // index: notes_by_issue_created, notes_by_merge_request_created, notes_by_epic_created, notes_by_commented_commit
  const commenters: CandidateSource = async (afterId, limit) => {
    const rows = await db
      .selectFrom('notes')
      .select('author_id')
      .distinct()
      .where(column, '=', id)
      .where('system', '=', false)
      .where('author_id', '>', afterId)
      .orderBy('author_id')
      .limit(limit)
      .execute();
    return rows.map(({ author_id }) => author_id);
  };
  // index: mail_mentions_by_issue, mail_mentions_by_merge_request, mail_mentions_by_epic, mail_mentions_by_commented_commit
  const mentionedUsers: CandidateSource = async (afterId, limit) => {
    const rows = db.selectFrom('mail_mentions').select('user_id').where(column, '=', id).where('user_id', '>', afterId);
    return toUserIds(await rows.orderBy('user_id').limit(limit).execute());
  };
  return [
    ['participating', commenters],
    ['participating', mentionedUsers],
  ];
}

/** Returns the source of the noteable's subscribers. index: subscriptions_by_issue, subscriptions_by_merge_request, subscriptions_by_epic */
function subscriberSource(db: Reader, { type, id }: Resource): InvolvementSource {
  const column = getForeignKeyColumn(type);
  return [
    'subscription',
    async (afterId, limit) => {
      const rows = db
        .selectFrom('subscriptions')
        .select('user_id')
        .where(column, '=', id)
        .where('user_id', '>', afterId);
      return toUserIds(await rows.where('subscribed', '=', true).orderBy('user_id').limit(limit).execute());
    },
  ];
}

/** Subscribers of labels are notified of new noteables only. */
const CREATION_EVENTS: ReadonlySet<MailSubject['event']> = new Set(['new_issue', 'new_merge_request', 'new_epic']);

const LABEL_TABLES = {
  Issue: 'issue_labels',
  MergeRequest: 'merge_request_labels',
  Epic: 'epic_labels',
} as const satisfies Record<Resource['type'], string>;

/** Returns the source of users who subscribed to a label of the noteable, in its project or everywhere. index: issue_labels_pkey, merge_request_labels_pkey, epic_labels_pkey, label_subscriptions_by_label */
function labelSubscriberSource(db: Reader, { type, id }: Resource, projectId: number | null): InvolvementSource {
  const table = LABEL_TABLES[type];
  return [
    'subscription',
    async (afterId, limit) => {
      const rows = await db
        .selectFrom('label_subscriptions')
        .select('user_id')
        .distinct()
        .where(
          sql<SqlBool>`label_id in (select label_id from ${sql.table(table)} where ${sql.ref(getForeignKeyColumn(type))} = ${id})`,
        )
        .where((eb) => eb.or([eb('project_id', 'is', null), eb('project_id', '=', projectId ?? 0)]))
        .where('user_id', '>', afterId)
        .orderBy('user_id')
        .limit(limit)
        .execute();
      return toUserIds(rows);
    },
  ];
}

// These conditions contain literals, because partial indexes do not match parameters.
const WATCHES = sql<SqlBool>`notification_settings.level in ('watch', 'custom')`;
/** Includes the level `global`: `selectRecipients` checks later which level applies to the user instead. */
const MAY_WATCH = sql<SqlBool>`notification_settings.level in ('watch', 'custom', 'global')`;

/**
 * Returns the source of users who watch the project or one of its groups, and of members whose global level is `watch` or `custom`. index: notification_settings_curious_project, notification_settings_curious_group, notification_settings_curious_everywhere, memberships_by_source
 */
function watcherSource(
  db: Reader,
  projectId: number | null,
  groupIds: readonly number[],
  sources: readonly MemberSourceRef[],
): CandidateSource {
  return async (afterId, limit) => {
    const settings = db
      .selectFrom('notification_settings')
      .select('notification_settings.user_id')
      .where('notification_settings.user_id', '>', afterId);
    const listFirstIds = (query: typeof settings) =>
      query.orderBy('notification_settings.user_id').limit(limit).execute();
    const userRows = await Promise.all([
      projectId === null ? [] : listFirstIds(settings.where(MAY_WATCH).where('project_id', '=', projectId)),
      ...groupIds.map((id) => listFirstIds(settings.where(MAY_WATCH).where('group_id', '=', id))),
      listFirstIds(
        settings
          .where(WATCHES)
          .where('group_id', 'is', null)
          .where('project_id', 'is', null)
          .where((eb) =>
            eb(
              'notification_settings.user_id',
              'in',
              selectActiveMemberships(db, sources).select('memberships.user_id'),
            ),
          ),
      ),
    ]);
    return [...new Set(userRows.flatMap(toUserIds))].sort((one, other) => one - other).slice(0, limit);
  };
}

/** Selects the active memberships of these groups and projects. index: memberships_by_source */
function selectActiveMemberships(db: Reader, sources: readonly MemberSourceRef[]) {
  return db
    .selectFrom('memberships')
    .where((eb) =>
      eb.or(
        sources.map(({ type, id }) =>
          eb.and([eb('memberships.source_type', '=', type), eb('memberships.source_id', '=', id)]),
        ),
      ),
    )
    .where(isActiveMembership('memberships.expires_at', db.today));
}

/** Returns the source of the project's Owners and Maintainers. */
function maintainerSources(db: Reader, { container }: MailSubject): InvolvementSource[] {
  return [
    [
      'custom',
      async (afterId, limit) => {
        const rows = selectActiveMemberships(db, container.memberSources)
          .select('memberships.user_id')
          .distinct()
          .where('memberships.access_level', '>=', MAINTAINER)
          .where('memberships.user_id', '>', afterId);
        return toUserIds(await rows.orderBy('memberships.user_id').limit(limit).execute());
      },
    ],
  ];
}

const toUserIds = (rows: readonly { readonly user_id: number }[]) => rows.map(({ user_id }) => user_id);
