import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { putTraceTogether } from './put-together.ts';

/** What jobs say while they run. */
export const traces = family({ endpoints, jobs: [putTraceTogether] });
