import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER, REPORTER } from '#domain/members/roles.ts';
import { atLeastOne, object, optional, type ParameterRule } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { arrayOf, boolean, integer, integerIn } from '#http/parameters/types.ts';

// Parameters for deploy access levels and approval rules.

const principalParams = {
  access_level: optional(integerIn([REPORTER, DEVELOPER, MAINTAINER, INSTANCE_ADMIN])),
  user_id: optional(integer),
  group_id: optional(integer),
  /** 0: direct members of the group, 1: inherited members too. */
  group_inheritance_type: optional(integerIn([0, 1])),
};
const ruleParams = { ...principalParams, required_approvals: optional(integer) };
/** Parameters that update or remove an existing element. */
const changeParams = { id: optional(integer), _destroy: optional(boolean) };

const requirePrincipal = atLeastOne('access_level', 'user_id', 'group_id');

/** Requires a principal for new elements. Existing elements and elements to remove need none. */
const requirePrincipalOfNewElement: ParameterRule = (rawParams, problems, prefix) => {
  const { id, _destroy } = rawParams;
  // `_destroy` is only interpreted here; the parameter itself reports its problems.
  const hasId = id !== undefined && id !== null && id !== '';
  if (!hasId && boolean.read(_destroy ?? null, '_destroy', new Problems()) !== true)
    requirePrincipal(rawParams, problems, prefix);
};

/** Elements of a new protection. */
export const NEW_ELEMENTS = {
  levels: arrayOf(object(principalParams)),
  rules: arrayOf(object(ruleParams, [requirePrincipal])),
};

/** Elements of an existing protection. */
export const CHANGED_ELEMENTS = {
  levels: arrayOf(object({ ...changeParams, ...principalParams })),
  rules: arrayOf(object({ ...changeParams, ...ruleParams }, [requirePrincipalOfNewElement])),
};
