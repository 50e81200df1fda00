export { BODY_REFUSALS, type BodyRefusal, readLateBody, textOf, withSpills } from './body.ts';
export { commitFields, decodeContent, isContent, readFilemode } from './fields.ts';
export { largeBodyLimit } from './receive-write.ts';
