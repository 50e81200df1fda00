import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';

export { BODY_REFUSALS, type BodyCall, type BodyRefusal, textOf, withLateBody } from './body.ts';
export { decodeContent, readEncoding } from './content.ts';
export { commitFields, readFilemode } from './fields.ts';

export const repositoryFiles = family({ endpoints });
