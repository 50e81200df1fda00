import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

// What other families of tokens may use of personal access tokens.
export { endReusedChain } from './access.ts';
export { recordToken } from './activity.ts';
export { checkOrder, type TokenOrder } from './create.ts';
export { tokenFields, tokenValues } from './entities.ts';
export { CANNOT_ROTATE, NOT_PERMITTED } from './errors.ts';
export { tokenFilters } from './parameters.ts';
export { type RotateFailure, replaceToken } from './rotate.ts';
export { ownTokens, pageOfTokens, type TokenFilter } from './store.ts';

export const personalAccessTokens = family({ endpoints });
