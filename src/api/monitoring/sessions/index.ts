import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { deleteSessionsOfProject } from './on-delete.ts';

export const sessions = resourceModule({ endpoints, subscriptions: [deleteSessionsOfProject] });
