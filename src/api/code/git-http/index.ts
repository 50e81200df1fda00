import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';

export { begunBody } from './body.ts';
export { headersOf, served } from './serve.ts';

export const gitHttp = family({ endpoints });
