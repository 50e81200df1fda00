import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';

export { decodeContent, readEncoding } from './content.ts';
export { commitFields, commitParams, contentParams, readFilemode } from './fields.ts';
export { BODY_REFUSALS, type BodyCall, type BodyRefusal, lateBody, textOf } from './late-body.ts';

export const repositoryFiles = family({ endpoints });
