import { VISIBILITIES, type Visibility } from '#authorization/visibility-levels.ts';
import { ROLES } from '#domain/members/roles.ts';
import { optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { description, expression, string } from '#http/parameters/texts.ts';
import { boolean, commaArray, date, integer, integerIn, oneOf } from '#http/parameters/types.ts';
import { type AttributeParams, attributeParams } from './attributes.ts';

/** The parameters that calls about groups share. */

const ORDERS = ['name', 'path', 'id', 'similarity'] as const;

export const filters = {
  search: optional(expression),
  order_by: optional(oneOf(...ORDERS), 'name'),
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
  marked_for_deletion_on: optional(date),
  repository_storage: optional(string),
};

/** Which groups a caller asks for, and in which order. */
export type GroupListing = ParameterValues<typeof filters>;

export const columns = {
  description: optional(description),
  visibility: optional(oneOf(...VISIBILITIES)),
  ...attributeParams,
};

/** What a caller asks of a group, new or not, besides name and path. */
export interface GroupWish extends AttributeParams {
  readonly description?: string | null | undefined;
  readonly visibility?: Visibility | null | undefined;
}
