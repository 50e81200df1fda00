import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { commitParams, contentParams, parseBoolean, parseCommitFields } from './commit-fields.ts';
export { decodeContent, parseEncoding } from './content-encoding.ts';
export { BODY_ERRORS, type BodyCall, type BodyFailure, getTextParameter, readDeferredBody } from './deferred-body.ts';

export const repositoryFiles = resourceModule({ endpoints });
