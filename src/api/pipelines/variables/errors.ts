import { INVALID } from '#http/errors/error-messages.ts';
import { KINDS, type Owner } from './owner.ts';

/** What is refused of a variable's record, by whoever it is kept. */
export const REFUSED = {
  invalid: INVALID,
  taken: [400, { message: { key: ['({key}) has already been taken'] } }],
} as const;

/** Somebody has deleted it meanwhile. */
export const gone = (type: Owner['type']) => [404, `404 ${KINDS[type].thing} Not Found`] as const;
