import { ROLES } from '../../../access/roles.ts';
import { VISIBILITIES, type Visibility } from '../../../access/visibility.ts';
import { optional } from '../../../http/parameters/declarations.ts';
import { boolean, commaArray, integer, integerIn, oneOf, text } from '../../../http/parameters/types.ts';
import { type AttributeParams, attributeParams } from './attributes.ts';
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

/** What a caller asks of a group, new or not, besides name and path. */
export interface GroupWish extends AttributeParams {
  readonly description?: string | null | undefined;
  readonly visibility?: Visibility | null | undefined;
}
