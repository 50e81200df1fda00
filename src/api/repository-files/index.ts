export { BODY_REFUSALS, type BodyRefusal, readLateBody, textOf } from './body.ts';
export { commitFields, decodeContent, readFilemode } from './fields.ts';
export { largeBodyLimit } from './receive-write.ts';
