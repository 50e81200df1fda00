import { HttpError } from '../errors/http-error.ts';

/** Limits of the nesting and size of bodies, so that no body slows down later stages (contract/conventions.md §1 stage 3). */

/** Maximum nesting depth of arrays and objects. */
export const MAX_DEPTH = 32;
/** Maximum number of items in one array or object. */
export const MAX_ITEMS_PER_VALUE = 50_000;
/** Maximum number of items, or of form pairs, in a whole body. */
export const MAX_TOTAL_ITEMS = 100_000;
/** Maximum length of all member names in JSON together, in bytes: names are interned, which costs more than values. */
export const MAX_NAME_BYTES = 2 * 1024 * 1024;

const badRequest = (error: string) => new HttpError(400, { error });

export const nestedTooDeeply = () => badRequest('Parameters nested too deeply');
export const arrayTooLarge = () => badRequest('Array parameter too large');
export const objectTooLarge = () => badRequest('Hash parameter too large');
export const tooManyParameters = () => badRequest('Too many total parameters');
