import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { commitFields, commitParams, contentParams, readFilemode } from './commit-fields.ts';
export { decodeContent, readEncoding } from './content-encoding.ts';
export { BODY_REFUSALS, type BodyCall, type BodyFailure, lateBody, textOf } from './deferred-body.ts';

export const repositoryFiles = family({ endpoints });
