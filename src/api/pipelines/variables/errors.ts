import { INVALID } from '#http/errors/error-messages.ts';
import { OWNER_TYPES, type VariableOwner } from './owner.ts';

/** Errors of variables, for all kinds of owners. */
export const VARIABLE_ERRORS = {
  invalid: INVALID,
  taken: [400, { message: { key: ['({key}) has already been taken'] } }],
} as const;

/** Returns the 404 error for a variable that was deleted meanwhile. */
export const variableNotFound = (type: VariableOwner['type']) =>
  [404, `404 ${OWNER_TYPES[type].title} Not Found`] as const;
