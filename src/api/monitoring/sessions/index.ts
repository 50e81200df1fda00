import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { endWithProject } from './ends.ts';

export const sessions = family({ endpoints, subscriptions: [endWithProject] });
