import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Reader, Schema } from '../database/database.ts';
import { itselfAndAbove } from './closure.ts';
import { groupAttributes } from './group-attributes.ts';

/**
 * Which projects the runners of groups and of the instance serve (contract/runners.md §7). Attributes are stored as the JSON
 * of what differs from the defaults, without blanks; inside a text its quotes would be escaped, so that a key with its value is
 * found nowhere else.
 */

type Eb = ExpressionBuilder<Schema, 'projects'>;

const differs = (column: string, name: string, value: string) =>
  sql<SqlBool>`${sql.ref(column)} like ${`%"${name.replaceAll('_', '\\_')}":${value}%`} escape '\\'`;

/** Projects that take the runners of the groups above them. */
export function takesGroupRunners(eb: Eb): Expression<SqlBool> {
  return eb.not(differs('projects.attributes', 'group_runners_enabled', 'false'));
}

/** Projects that take the runners of the instance: they say so, and no group above forbids it. index: namespace_closure_pkey */
export function takesInstanceRunners(eb: Eb): Expression<SqlBool> {
  const forbids = eb
    .selectFrom('namespace_closure')
    .innerJoin('namespaces as above', 'above.id', 'namespace_closure.ancestor_id')
    .select('above.id')
    .whereRef('namespace_closure.descendant_id', '=', 'projects.namespace_id')
    .where(differs('above.attributes', 'shared_runners_setting', '"disabled\\_and\\_unoverridable"'));
  return eb.and([
    eb.not(differs('projects.attributes', 'shared_runners_enabled', 'false')),
    eb.not(eb.exists(forbids)),
  ]);
}

/** What of the two one project takes. index: projects primary key */
export async function runnersTakenBy(
  db: Reader,
  projectId: number,
): Promise<{ readonly ofGroups: boolean; readonly ofInstance: boolean }> {
  const takes = (condition: (eb: Eb) => Expression<SqlBool>) => (eb: Eb) =>
    eb.case().when(condition(eb)).then(eb.lit(1)).else(eb.lit(0)).end();
  const taken = await db
    .selectFrom('projects')
    .select((eb) => [takes(takesGroupRunners)(eb).as('groups'), takes(takesInstanceRunners)(eb).as('instance')])
    .where('projects.id', '=', projectId)
    .executeTakeFirst();
  return { ofGroups: taken?.groups === 1, ofInstance: taken?.instance === 1 };
}

/** Do groups themselves list the runners of the instance? index: namespaces primary key */
export async function groupShowsInstanceRunners(db: Reader, groupId: number): Promise<boolean> {
  const group = await db.selectFrom('namespaces').select('attributes').where('id', '=', groupId).executeTakeFirst();
  return group !== undefined && groupAttributes(group.attributes).shared_runners_setting === 'enabled';
}

/** The group at the top of what is above a namespace; null above a user's own. index: namespace_closure_pkey */
export async function rootGroupOf(db: Reader, namespaceId: number) {
  const [root] = await itselfAndAbove(db, namespaceId)
    .select(['namespaces.id', 'namespaces.kind', 'namespaces.attributes'])
    .orderBy('namespace_closure.depth', 'desc')
    .limit(1)
    .execute();
  return root === undefined || root.kind === 'user'
    ? null
    : { id: root.id, attributes: groupAttributes(root.attributes) };
}
