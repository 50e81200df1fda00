import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

/** Who has looked at a merge request and finds it good. */
export const approvals = family({ endpoints });
