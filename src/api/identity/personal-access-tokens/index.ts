import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

// Shared with the other kinds of tokens.
export {
  MISSING_SCOPE,
  NOT_PERMITTED,
  ROTATE_ERRORS,
  ROTATION_EXPIRY,
  revokeReusedChain,
  tokenFilters,
} from './access.ts';
export { type CreateTokenInput, recordTokenEvent, validateToken } from './changes.ts';
export { serializeToken, tokenFields } from './entities.ts';
export { type RotateFailure, replaceToken } from './rotate.ts';
export { paginateTokens, selectOwnTokens, type TokenFilter } from './store.ts';

export const personalAccessTokens = resourceModule({ endpoints });
