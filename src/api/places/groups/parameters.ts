import { canSeeGroup, findGroup, type Group } from '../../../access/groups.ts';
import { ROLES } from '../../../access/roles.ts';
import { VISIBILITIES } from '../../../access/visibility.ts';
import type { Reader } from '../../../database/database.ts';
import { optional } from '../../../http/parameters/declarations.ts';
import { boolean, commaArray, integer, integerIn, oneOf, text } from '../../../http/parameters/types.ts';
import type { Caller } from '../../../identity/caller.ts';
import { type Refused, refused } from '../../../refused.ts';
import { attributeChanges, attributeParams } from './attributes.ts';
import { GROUP_ORDERS } from './store.ts';

/** The parameters that calls about groups share. */

export const filters = {
  search: optional(text),
  order_by: optional(oneOf(...GROUP_ORDERS), 'name'),
  sort: optional(oneOf('asc', 'desc'), 'asc'),
  owned: optional(boolean),
  all_available: optional(boolean),
  min_access_level: optional(integerIn(ROLES)),
  visibility: optional(oneOf(...VISIBILITIES)),
  skip_groups: optional(commaArray(integer)),
  top_level_only: optional(boolean),
  statistics: optional(boolean, false),
  archived: optional(boolean),
  active: optional(boolean),
  repository_storage: optional(text),
};

export const columns = {
  description: optional(text),
  visibility: optional(oneOf(...VISIBILITIES)),
  ...attributeParams,
};

type Given = Parameters<typeof attributeChanges>[0];

/** The sent values, those of the columns and those of the attributes apart. */
export function changesIn<P extends Given>(
  params: P,
  topLevel: boolean,
): P & { attributes: ReturnType<typeof attributeChanges> } {
  return { ...params, attributes: attributeChanges(params, topLevel) };
}

/** The group that a parameter names, when the caller may see it; null when none is named. */
export async function namedGroup(
  db: Reader,
  caller: Caller,
  id: number | null | undefined,
  today: string,
): Promise<Group | null | Refused<'groupNotFound'>> {
  if (id == null) return null;
  const group = await findGroup(db, caller, String(id));
  return group !== null && canSeeGroup(caller, group) ? group : refused('groupNotFound');
}
