import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

// Shared with the other kinds of tokens.
export { revokeReusedChain } from './access.ts';
export { recordTokenEvent } from './activity.ts';
export { type CreateTokenInput, validateToken } from './changes.ts';
export { serializeToken, tokenFields } from './entities.ts';
export { MISSING_SCOPE, NOT_PERMITTED, ROTATE_ERRORS } from './errors.ts';
export { tokenFilters } from './parameters.ts';
export { type RotateFailure, replaceToken } from './rotate.ts';
export { paginateTokens, selectOwnTokens, type TokenFilter } from './store.ts';

export const personalAccessTokens = resourceModule({ endpoints });
