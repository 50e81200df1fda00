import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { endWithProject } from './on-delete.ts';

export const sessions = resourceModule({ endpoints, subscriptions: [endWithProject] });
