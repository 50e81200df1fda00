import { HttpError } from '../errors/http-error.ts';

/** Bounds on what a body may nest and count, so that none makes a later stage slow (contract/conventions.md §1 stage 3). */

export const MAX_DEPTH = 32;
export const MAX_ITEMS = 50_000;
export const MAX_ELEMENTS = 100_000;
/** Of the names in JSON together, in bytes: each is looked up in the table of all names, which costs more than a text. */
export const MAX_NAMES = 2 * 1024 * 1024;

const refusal = (error: string) => new HttpError(400, { error });

export const nestedTooDeeply = () => refusal('Parameters nested too deeply');
export const arrayTooLarge = () => refusal('Array parameter too large');
export const hashTooLarge = () => refusal('Hash parameter too large');
export const tooManyParameters = () => refusal('Too many total parameters');
