import { customAttributeParams } from '#api/identity/custom-attributes/index.ts';
import { VISIBILITIES, type Visibility } from '#authorization/visibility.ts';
import { ROLES } from '#domain/members/roles.ts';
import { describe, optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { longText, searchExpression, string } from '#http/parameters/texts.ts';
import {
  boolean,
  commaSeparated,
  date,
  integer,
  integerIn,
  oneOf,
  unsupportedPicture,
} from '#http/parameters/types.ts';
import { type GroupAttributeInput, groupAttributeParams } from './attributes.ts';

// Parameters that several endpoints of groups share.

const ORDERS = ['name', 'path', 'id', 'similarity'] as const;

/** Parameters of all lists of groups. */
export const groupListParams = {
  search: describe(optional(searchExpression), 'Part of the name or path, ignoring case.'),
  order_by: describe(
    optional(oneOf(...ORDERS), 'name'),
    '`similarity` lists exact matches of `search` first, then names and paths that begin with it.',
  ),
  sort: optional(oneOf('asc', 'desc'), 'asc'),
  owned: describe(optional(boolean), 'Only groups that the caller owns.'),
  all_available: describe(
    optional(boolean),
    'Lists all groups that the caller can see, instead of those with a membership of the caller.',
  ),
  min_access_level: describe(optional(integerIn(ROLES)), 'Only groups where the caller has at least this role.'),
  visibility: describe(
    optional(oneOf(...VISIBILITIES)),
    'Only groups with this visibility; implies `all_available`, unless that is false.',
  ),
  skip_groups: describe(optional(commaSeparated(integer)), 'Ids of groups that are not listed.'),
  top_level_only: describe(optional(boolean), 'Only groups without a parent.'),
  statistics: describe(optional(boolean, false), 'Adds `statistics`, for administrators only.'),
  archived: describe(optional(boolean), 'Only groups that are archived, directly or through a parent, or only others.'),
  active: describe(
    optional(boolean),
    'Only groups that are neither archived nor marked for deletion, or only the others.',
  ),
  marked_for_deletion_on: describe(optional(date), 'Only groups that were marked for deletion on this day.'),
  repository_storage: describe(optional(string), 'Only groups on this storage; ignored unless an administrator calls.'),
  ...customAttributeParams,
};

/** The filter and order of a list of groups. */
export type GroupListInput = ParameterValues<typeof groupListParams>;

/** Parameters of creation and update, in addition to name and path. */
export const groupParams = {
  description: optional(longText),
  visibility: optional(oneOf(...VISIBILITIES)),
  avatar: optional(unsupportedPicture),
  ...groupAttributeParams,
};

/** The attributes of a new or existing group, in addition to name and path. */
export interface GroupInput extends GroupAttributeInput {
  readonly description?: string | null | undefined;
  readonly visibility?: Visibility | null | undefined;
}
