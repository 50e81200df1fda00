import { type Expression, type SqlBool, sql } from 'kysely';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';

/** Queries of custom attributes (contract/everyday.md "Custom attributes"). */

/** Kinds of objects that have custom attributes. */
export type OwnerType = 'user' | 'project' | 'group';

/** The user, project or group that has custom attributes. */
export interface Owner {
  readonly type: OwnerType;
  readonly id: number;
}

export type CustomAttribute = Columns<'custom_attributes', 'key' | 'value'>;

/** Column of the owner's id by kind of owner. */
const COLUMNS = { user: 'user_id', project: 'project_id', group: 'group_id' } as const;

/** Returns the attributes of one owner, the oldest first. index: custom_attributes_by_user, _by_project, _by_group */
export function listCustomAttributes(db: Reader, { type, id }: Owner): Promise<CustomAttribute[]> {
  const query = db.selectFrom('custom_attributes').select(['key', 'value']).where(COLUMNS[type], '=', id);
  return query.orderBy('id').execute();
}

/** Returns the owner's attribute with this key, or null. index: custom_attributes_by_user, _by_project, _by_group */
export async function findCustomAttribute(
  db: Reader,
  { type, id }: Owner,
  key: string,
): Promise<CustomAttribute | null> {
  const query = db
    .selectFrom('custom_attributes')
    .select(['key', 'value'])
    .where(COLUMNS[type], '=', id)
    .where('key', '=', key);
  return (await query.executeTakeFirst()) ?? null;
}

/** Inserts an attribute, or replaces its value. index: custom_attributes_by_user, _by_project, _by_group */
export function upsertCustomAttribute(
  tx: Transaction,
  { type, id }: Owner,
  { key, value }: CustomAttribute,
): Promise<CustomAttribute> {
  const column = COLUMNS[type];
  return tx
    .insertInto('custom_attributes')
    .values({ [column]: id, key, value } as { key: string; value: string })
    .onConflict((conflict) =>
      conflict.columns([column, 'key']).where(sql.ref(column), 'is not', null).doUpdateSet({ value }),
    )
    .returning(['key', 'value'])
    .executeTakeFirstOrThrow();
}

/** Deletes the owner's attribute with this key, if it exists. index: custom_attributes_by_user, _by_project, _by_group */
export async function deleteCustomAttribute(tx: Transaction, { type, id }: Owner, key: string): Promise<void> {
  await tx.deleteFrom('custom_attributes').where(COLUMNS[type], '=', id).where('key', '=', key).execute();
}

const selectAttributesOf = (type: OwnerType) =>
  prepareForIds((db, ids) =>
    db
      .selectFrom('custom_attributes')
      .select([`${COLUMNS[type]} as owner_id`, 'key', 'value'])
      .where(COLUMNS[type], 'in', ids)
      .orderBy('id'),
  );

// index: custom_attributes_by_user, custom_attributes_by_project, custom_attributes_by_group
const SELECTIONS = {
  user: selectAttributesOf('user'),
  project: selectAttributesOf('project'),
  group: selectAttributesOf('group'),
};

/** Attributes by the id of their owner; owners without attributes are absent. */
export type CustomAttributesById = ReadonlyMap<number, readonly CustomAttribute[]>;

/** Loads the attributes of these owners with one query. */
export async function loadCustomAttributes(
  db: Reader,
  type: OwnerType,
  ids: readonly number[],
): Promise<CustomAttributesById> {
  const attributesById = new Map<number, CustomAttribute[]>();
  for (const { owner_id, key, value } of await SELECTIONS[type](db, ids)) {
    const attributes = attributesById.get(owner_id as number) ?? [];
    attributesById.set(owner_id as number, [...attributes, { key, value }]);
  }
  return attributesById;
}

/** The attributes that a list filters by. */
export type CustomAttributeFilter = readonly CustomAttribute[];

/** Number of characters of a value that the index `custom_attributes_by_value` contains. */
const INDEXED_CHARACTERS = 100;

/** Returns one SQL condition per attribute: the owner with this id has the attribute. index: custom_attributes_by_value */
export function customAttributeConditions(
  db: Reader,
  type: OwnerType,
  id: Expression<number>,
  filter: CustomAttributeFilter,
): Expression<SqlBool>[] {
  return filter.map(({ key, value }) => {
    const ownerIds = db
      .selectFrom('custom_attributes')
      .select(COLUMNS[type])
      .where('key', '=', key)
      // The literal 100 is INDEXED_CHARACTERS, because an expression with a parameter would not match the index.
      .where(sql<string>`substr(value, 1, 100)`, '=', [...value].slice(0, INDEXED_CHARACTERS).join(''))
      .where('value', '=', value)
      .where(COLUMNS[type], 'is not', null);
    return sql<SqlBool>`${id} in (${ownerIds})`;
  });
}
