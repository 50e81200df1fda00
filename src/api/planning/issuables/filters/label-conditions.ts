import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { isAmongCollected, isInIds, isInSubquery, isInTexts, withoutIndex } from '#database/dialect.ts';
import type { IssuableListScope } from '../kind.ts';
import type { ListCondition } from './query-strategy.ts';
import {
  existsCondition,
  idsCondition,
  isKeyword,
  isUsableInScope,
  joinGroupProjects,
  listedColumn,
  MAX_INDEXED_VALUES,
  notExistsCondition,
} from './row-conditions.ts';

// Filter conditions by labels (contract/planning.md §3.6).

/** Returns the conditions that an issuable has labels with all of these titles, or has any or no label. */
export function labelConditions(db: Reader, scope: IssuableListScope, labels: readonly string[]): ListCondition[] {
  const titles = [...new Set(labels)];
  const keywordCondition = labelKeywordCondition(db, scope, titles);
  if (keywordCondition !== null) return [keywordCondition];
  const remainingTitles = titles.slice(MAX_INDEXED_VALUES);
  const conditions = titles.slice(0, MAX_INDEXED_VALUES).map((title) => labelCondition(db, scope, title));
  if (scope.project !== null && titles.length > 1)
    conditions.push(allLabelsCondition(db, scope, titles.slice(0, MAX_INDEXED_VALUES)));
  if (remainingTitles.length === 0) return conditions;
  const matchCount = sql`select count(distinct label.title) ${fromLabelsWithTitles(db, scope, remainingTitles)}`;
  return [...conditions, { predicate: sql<SqlBool>`(${matchCount}) = ${remainingTitles.length}` }];
}

/**
 * Returns conditions that match issuables with one of the labels: one condition for each of the first labels, one for all others.
 * Only negated filters use them. Negated, each condition excludes its labels.
 */
export function anyLabelConditions(db: Reader, scope: IssuableListScope, titles: readonly string[]): ListCondition[] {
  if (titles.length === 0) return [];
  const keywordCondition = labelKeywordCondition(db, scope, titles);
  if (keywordCondition !== null) return [keywordCondition];
  const conditions = titles.slice(0, MAX_INDEXED_VALUES).map((title) => labelCondition(db, scope, title));
  const remainingTitles = titles.slice(MAX_INDEXED_VALUES);
  if (remainingTitles.length > 0)
    conditions.push(labelTitleCondition(db, scope, isInTexts(db, LABEL_TITLE, remainingTitles)));
  if (scope.project !== null) return conditions;
  // Replaces `negatedPredicate`: with it, PostgreSQL would join the labels of all issuables first.
  return conditions.map(({ predicate }) => ({ predicate, negatedPredicate: sql<SqlBool>`not ${predicate}` }));
}

/** Returns the condition if the only title is `None` or `Any`, else null. */
function labelKeywordCondition(
  db: Reader,
  scope: IssuableListScope,
  [title, ...remainingTitles]: readonly string[],
): ListCondition | null {
  if (title === undefined || remainingTitles.length > 0) return null;
  if (isKeyword(title, 'None')) return notExistsCondition(db, selectLabels(scope));
  return isKeyword(title, 'Any') ? existsCondition(db, selectLabels(scope)) : null;
}

/** Returns the `from` clause for the labels of the row that have one of the titles. index: issue_labels_pkey, labels primary key */
function fromLabelsWithTitles(db: Reader, scope: IssuableListScope, titles: readonly string[]): RawBuilder<unknown> {
  const { tables } = scope;
  return sql`from ${sql.table(tables.labelTable)} as label_link inner join labels as label on label.id = label_link.label_id
    where ${sql.ref(`label_link.${tables.foreignKey}`)} = ${listedColumn(scope, 'id')} and ${isInTexts(db, LABEL_TITLE, titles)}`;
}

/** Selects a row for each label of the issuable. index: issue_labels_pkey */
function selectLabels(scope: IssuableListScope): RawBuilder<unknown> {
  const { tables } = scope;
  return sql`select 1 from ${sql.table(tables.labelTable)} as label_link where ${sql.ref(`label_link.${tables.foreignKey}`)} = ${listedColumn(scope, 'id')}`;
}

/**
 * Returns the ids of rows of a project with labels of all titles, which may be few although each label is common. The engines
 * merge the ids of the labels, which the index has in order if each title is one label. index: labels_by_title, issue_labels_by_label
 */
function allLabelsCondition(db: Reader, scope: IssuableListScope, titles: readonly string[]): ListCondition {
  const { tables, project } = scope;
  const loadIds = async () => {
    const { rows } = await sql<{ id: number; title: string }>`select label.id, label.title from labels as label
      where ${isInTexts(db, LABEL_TITLE, titles)} and ${isUsableInScope(scope, 'label')}`.execute(db);
    const selectLabeled = (title: string) => {
      const ids = rows.filter((row) => row.title === title).map(({ id }) => id);
      const hasLabel =
        ids.length === 1 ? sql`label_link.label_id = ${ids[0]}` : isInIds(db, sql`label_link.label_id`, ids);
      return sql`select ${sql.ref(`label_link.${tables.foreignKey}`)} from ${sql.table(tables.labelTable)} as label_link
        where ${hasLabel} and label_link.project_id = ${project!.id}`;
    };
    return sql.join(titles.map(selectLabeled), sql` intersect `);
  };
  return { predicate: sql<SqlBool>`1 = 1`, loadIds };
}

const LABEL_TITLE = sql<string>`label.title`;

const labelCondition = (db: Reader, scope: IssuableListScope, title: string): ListCondition =>
  labelTitleCondition(db, scope, sql<SqlBool>`${LABEL_TITLE} = ${title}`);

/**
 * Matches issuables with a label whose title fulfils `titlePredicate`.
 * index: labels_by_title, issue_labels_by_label, issue_labels_pkey
 */
function labelTitleCondition(db: Reader, scope: IssuableListScope, titlePredicate: RawBuilder<SqlBool>): ListCondition {
  const { tables, project, group } = scope;
  const labelIds = sql`(select label.id from labels as label where ${titlePredicate} and ${isUsableInScope(scope, 'label')})`;
  const id = sql<number>`label_link.label_id`;
  const foreignKey = sql.ref(`label_link.${tables.foreignKey}`);
  const selectLabeled = (hasLabel: RawBuilder<SqlBool>) =>
    sql`select ${foreignKey} from ${sql.table(tables.labelTable)} as label_link where ${hasLabel}`;
  // One project can use few labels with the same title.
  if (project !== null) {
    const hasLabel = isInSubquery(db, id, labelIds);
    const ids = selectLabeled(sql<SqlBool>`${hasLabel} and label_link.project_id = ${project.id}`);
    return { ...idsCondition(db, scope, selectLabeled(hasLabel), foreignKey), ids };
  }
  // Across all projects many labels match. The engines must then read the labels of each row, and not the rows of each label.
  const isOfRow = sql`${selectLabeled(isAmongCollected(withoutIndex(db, id), labelIds))} and ${foreignKey} = ${listedColumn(scope, 'id')}`;
  const condition = existsCondition(db, isOfRow);
  if (!group) return { ...condition, ids: selectLabeled(sql<SqlBool>`${id} in ${labelIds}`) };
  return { ...condition, ids: selectLabeledInGroup(db, scope, group, titlePredicate), hasIdsOfGroup: true };
}

/**
 * Selects the ids of issuables in projects of the group that have a label of their project or of a group.
 * index: labels_by_project, labels_by_title, issue_labels_by_label
 */
function selectLabeledInGroup(
  db: Reader,
  { tables }: IssuableListScope,
  group: { readonly id: number },
  titlePredicate: RawBuilder<SqlBool>,
): RawBuilder<unknown> {
  const link = sql`${sql.table(tables.labelTable)} as label_link`;
  const projectLabels = joinGroupProjects(db, group, sql`labels as label cross join ${link}`, sql`label.project_id`);
  // The rows of a group label belong to many projects, also to those of other groups.
  const groupLabels = joinGroupProjects(db, group, link, sql`label_link.project_id`);
  const relatedGroupIds = sql`select ancestor_id from namespace_closure where descendant_id = ${group.id}
    union select descendant_id from namespace_closure where ancestor_id = ${group.id}`;
  const id = sql.ref(`label_link.${tables.foreignKey}`);
  return sql`select ${id} from ${projectLabels} and ${titlePredicate} and label_link.label_id = label.id
    union all select ${id} from ${groupLabels} and label_link.label_id in (select label.id from labels as label where ${titlePredicate} and label.group_id in (${relatedGroupIds}))`;
}
