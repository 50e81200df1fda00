import { customAttributeParams } from '#api/identity/custom-attributes/index.ts';
import { VISIBILITIES, type Visibility } from '#authorization/visibility.ts';
import { ROLES } from '#domain/members/roles.ts';
import { optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { longText, searchExpression, string } from '#http/parameters/texts.ts';
import { boolean, commaSeparated, date, emptyPicture, integer, integerIn, oneOf } from '#http/parameters/types.ts';
import { type GroupAttributeInput, groupAttributeParams } from './attributes.ts';

/** Parameters that several endpoints of groups share. */

const ORDERS = ['name', 'path', 'id', 'similarity'] as const;

export const groupListParams = {
  search: optional(searchExpression),
  order_by: optional(oneOf(...ORDERS), 'name'),
  sort: optional(oneOf('asc', 'desc'), 'asc'),
  owned: optional(boolean),
  all_available: optional(boolean),
  min_access_level: optional(integerIn(ROLES)),
  visibility: optional(oneOf(...VISIBILITIES)),
  skip_groups: optional(commaSeparated(integer)),
  top_level_only: optional(boolean),
  statistics: optional(boolean, false),
  archived: optional(boolean),
  active: optional(boolean),
  marked_for_deletion_on: optional(date),
  repository_storage: optional(string),
  ...customAttributeParams,
};

/** The filter and order of a list of groups. */
export type GroupListInput = ParameterValues<typeof groupListParams>;

export const groupParams = {
  description: optional(longText),
  visibility: optional(oneOf(...VISIBILITIES)),
  avatar: optional(emptyPicture),
  ...groupAttributeParams,
};

/** The attributes of a new or existing group, in addition to name and path. */
export interface GroupInput extends GroupAttributeInput {
  readonly description?: string | null | undefined;
  readonly visibility?: Visibility | null | undefined;
}
