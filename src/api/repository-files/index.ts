export { BODY_REFUSALS, type BodyCall, type BodyRefusal, textOf, withLateBody } from './body.ts';
export { decodeContent, readEncoding } from './content.ts';
export { commitFields, readFilemode } from './fields.ts';
