import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { readiness } from './readiness.ts';

export const health = family({ endpoints });
