import { type Expression, type SqlBool, sql } from 'kysely';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Page, paginate } from '#database/page.ts';
import { prepareForIds } from '#database/prepare.ts';
import { containsSubstring, escapeLike, like } from '#database/search/substring-search.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** Queries of topics and of the topics of projects. */

/** A topic, without the columns that only queries use. */
export type TopicRow = Omit<Columns<'topics'>, 'name_key' | 'title_key' | 'shared_project_count'>;
/** The values of a topic that administrators set. */
export type TopicContent = Pick<TopicRow, 'name' | 'title' | 'description'>;

const columns = ['id', 'name', 'title', 'description', 'project_count', 'created_at', 'updated_at'] as const;

interface TopicFilter {
  readonly search?: string | null | undefined;
  readonly without_projects?: boolean | null | undefined;
}

/**
 * Returns one page of topics, ordered by their number of internal and public projects, the highest first. With a search, exact
 * matches of the name and names that begin with the text come before the others.
 * index: topics_by_use, topics_unused, topics_name_key_title_key_trigrams
 */
export function listTopics(
  db: Reader,
  { search, without_projects }: TopicFilter,
  page: OffsetRequest,
): Promise<Page<TopicRow>> {
  let query = db.selectFrom('topics').select(columns);
  if (without_projects) query = query.where('project_count', '=', sql.lit(0));
  const key = foldCase(search ?? '').trim();
  for (const word of new Set(key.split(/\s+/).slice(0, MAX_WORDS))) {
    if (word !== '') query = query.where(containsSubstring(db, 'topics', ['name_key', 'title_key'], word));
  }
  if (key !== '') query = query.orderBy(nameSimilarity(key), 'desc');
  return paginate(db, query.orderBy('shared_project_count', 'desc').orderBy('id'), page);
}

/** Maximum number of search words; the rest is ignored. */
const MAX_WORDS = 10;

/** Ranks exact matches of the name (2) above prefixes (1) and other matches (0). */
const nameSimilarity = (key: string) =>
  sql`case when name_key = ${key} then 2 when ${like(sql<string>`name_key`, `${escapeLike(key)}%`)} then 1 else 0 end`;

/** Returns the topic with this id, or null. index: topics primary key */
export async function findTopic(db: Reader, id: number): Promise<TopicRow | null> {
  return (await db.selectFrom('topics').select(columns).where('id', '=', id).executeTakeFirst()) ?? null;
}

const toKeys = ({ name, title }: Pick<TopicContent, 'name' | 'title'>) => ({
  name_key: foldCase(name),
  title_key: foldCase(title),
});

/** Inserts a topic. Throws the unique violation of `topics_by_name` if the name is taken, regardless of case. */
export function insertTopic(tx: Transaction, content: TopicContent): Promise<TopicRow> {
  return tx
    .insertInto('topics')
    .values({ ...content, ...toKeys(content), created_at: tx.now, updated_at: tx.now })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Updates a topic; returns null if it was deleted meanwhile. index: topics primary key */
export async function updateTopicRow(tx: Transaction, id: number, content: TopicContent): Promise<TopicRow | null> {
  const row = await tx
    .updateTable('topics')
    .set({ ...content, ...toKeys(content), updated_at: tx.now })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst();
  return row ?? null;
}

/** Deletes the row of a topic; projects that still have the topic lose it. index: topics primary key, project_topics_by_topic */
export async function deleteTopicRow(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('topics').where('id', '=', id).execute();
}

/**
 * Removes the topic from at most `limit` projects and returns how many projects had it. Adds the topic `replacementId` to these
 * projects, unless it is null or they have that topic already.
 * index: project_topics_by_topic, project_topics_pkey
 */
export async function detachProjects(
  tx: Transaction,
  topicId: number,
  replacementId: number | null,
  limit: number,
): Promise<number> {
  const links = await tx
    .selectFrom('project_topics')
    .select(['project_id', 'position'])
    .where('topic_id', '=', topicId)
    .limit(limit)
    .execute();
  if (links.length === 0) return 0;
  if (replacementId !== null) {
    await tx
      .insertInto('project_topics')
      .values(links.map((link) => ({ ...link, topic_id: replacementId })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  const projectIds = links.map(({ project_id }) => project_id);
  await tx
    .deleteFrom('project_topics')
    .where(isInIds(tx, sql<number>`project_id`, projectIds))
    .where('topic_id', '=', topicId)
    .execute();
  return links.length;
}

// index: project_topics_pkey, topics primary key
const selectTopicNames = prepareForIds((db, ids) =>
  db
    .selectFrom('project_topics')
    .innerJoin('topics', 'topics.id', 'project_topics.topic_id')
    .select(['project_topics.project_id', 'topics.name'])
    .where('project_topics.project_id', 'in', ids)
    .orderBy('project_topics.position'),
);

/** Loads the names of the projects' topics, in their order, by project id. */
export async function loadTopicNames(
  db: Reader,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const namesById = new Map<number, string[]>();
  for (const { project_id, name } of await selectTopicNames(db, projectIds)) {
    const names = namesById.get(project_id);
    if (names === undefined) namesById.set(project_id, [name]);
    else names.push(name);
  }
  return namesById;
}

/** Returns the SQL condition that the project with this id has the topic. index: project_topics_by_topic */
export function hasTopic(db: Reader, projectId: Expression<number>, topicId: number): Expression<SqlBool> {
  return sql<SqlBool>`${projectId} in (${selectProjectIds(db).where('topic_id', '=', topicId)})`;
}

/**
 * Returns the SQL condition that the project with this id has all topics with these names. It is one subquery for all names, because
 * with one subquery per name the planning time of PostgreSQL grows exponentially. index: topics_by_name, project_topics_by_topic
 */
export function hasTopics(db: Reader, projectId: Expression<number>, names: readonly string[]): Expression<SqlBool> {
  const topicIds = db
    .selectFrom('topics')
    .select('topics.id')
    // The folded name is indexed; the next condition makes the match case-sensitive.
    .where('topics.name_key', 'in', names.map(foldCase))
    .where('topics.name', 'in', names);
  const projectIds = selectProjectIds(db).where('topic_id', 'in', topicIds);
  const matches =
    names.length === 1
      ? projectIds
      : projectIds.groupBy('project_id').having((eb) => eb.fn.countAll<number>(), '=', names.length);
  return sql<SqlBool>`${projectId} in (${matches})`;
}

const selectProjectIds = (db: Reader) => db.selectFrom('project_topics').select('project_topics.project_id');

/** Returns the ids of the topics with these folded names. index: topics_by_name */
export function findTopicsByKey(db: Reader, keys: readonly string[]) {
  return db.selectFrom('topics').select(['id', 'name_key']).where('name_key', 'in', keys).execute();
}

/**
 * Inserts topics with their names as titles. Returns the inserted topics, without those that existed. On PostgreSQL, a concurrent
 * insertion of the same name is a serialization failure, after which the transaction is retried.
 */
export function insertTopics(tx: Transaction, names: readonly string[]) {
  const rows = names.map((name) => ({ name, title: name, description: null, ...toKeys({ name, title: name }) }));
  const timestamps = { created_at: tx.now, updated_at: tx.now };
  return tx
    .insertInto('topics')
    .values(rows.map((row) => ({ ...row, ...timestamps })))
    .onConflict((conflict) => conflict.column('name_key').doNothing())
    .returning(['id', 'name_key'])
    .execute();
}

/** Replaces the topics of a project by these, in this order. index: project_topics_pkey */
export async function replaceProjectTopics(
  tx: Transaction,
  projectId: number,
  topicIds: readonly number[],
): Promise<void> {
  await tx.deleteFrom('project_topics').where('project_id', '=', projectId).execute();
  if (topicIds.length === 0) return;
  const rows = topicIds.map((topic_id, position) => ({ project_id: projectId, topic_id, position }));
  await tx.insertInto('project_topics').values(rows).execute();
}
