import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { endWithProject } from './on-delete.ts';

export const sessions = family({ endpoints, subscriptions: [endWithProject] });
