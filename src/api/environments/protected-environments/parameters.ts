import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER, REPORTER } from '#domain/members/roles.ts';
import { atLeastOne, hash, optional, type Rule } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { arrayOf, boolean, integer, integerIn } from '#http/parameters/types.ts';

/** The elements that a call names: deploy access levels, approval rules. */

const whom = {
  access_level: optional(integerIn([REPORTER, DEVELOPER, MAINTAINER, INSTANCE_ADMIN])),
  user_id: optional(integer),
  group_id: optional(integer),
  /** 0: direct members of the group, 1: all that it has. */
  group_inheritance_type: optional(integerIn([0, 1])),
};
const rule = { ...whom, required_approvals: optional(integer) };
/** Which element there already is it shall be, or no more. */
const change = { id: optional(integer), _destroy: optional(boolean) };

const namesSomebody = atLeastOne('access_level', 'user_id', 'group_id');

/** An element that is there needs to name nobody, nor does one that shall go. */
const newOnesNameSomebody: Rule = (given, problems, prefix) => {
  const { id, _destroy } = given;
  const isThere = id !== undefined && id !== null && id !== '';
  if (!isThere && boolean.read(_destroy ?? null, '_destroy', new Problems()) !== true)
    namesSomebody(given, problems, prefix);
};

/** Of a protection that is to be. */
export const NEW = {
  levels: arrayOf(hash(whom)),
  rules: arrayOf(hash(rule, [namesSomebody])),
};

/** Of one that there is. */
export const CHANGED = {
  levels: arrayOf(hash({ ...change, ...whom })),
  rules: arrayOf(hash({ ...change, ...rule }, [newOnesNameSomebody])),
};
