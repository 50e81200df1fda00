// What other families of tokens may use of personal access tokens.
export { tokenFields, tokenValues } from './entities.ts';
export { recordToken } from './record.ts';
