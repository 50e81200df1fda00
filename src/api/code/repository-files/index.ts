import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { openFileContent, openLfsFile } from './content.ts';
export { BODY_ERRORS, type BodyCall, type BodyFailure, getTextParameter, readDeferredBody } from './deferred-body.ts';
export { locateContent } from './get.ts';
export { commitParams, contentParams, decodeContent, parseBoolean, parseCommitFields, parseEncoding } from './write.ts';

export const repositoryFiles = resourceModule({ endpoints });
