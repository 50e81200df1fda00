import { HttpRefusal } from '../refusals/refusal.ts';

/** Bounds on what a body may nest and count, so that none makes a later stage slow (contract/conventions.md §1 stage 3). */

export const MAX_DEPTH = 32;
export const MAX_ITEMS = 50_000;
export const MAX_ELEMENTS = 100_000;

const refusal = (error: string) => new HttpRefusal(400, { error });

export const nestedTooDeeply = () => refusal('Parameters nested too deeply');
export const arrayTooLarge = () => refusal('Array parameter too large');
export const hashTooLarge = () => refusal('Hash parameter too large');
export const tooManyParameters = () => refusal('Too many total parameters');
