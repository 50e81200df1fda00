import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { begunBody } from './request-body.ts';
export { headersOf, served } from './serve.ts';

export const gitHttp = family({ endpoints });
