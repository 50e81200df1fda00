import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { deleteProjectArchives, onProjectDestroyed } from './on-delete.ts';

export const archive = resourceModule({
  endpoints,
  jobs: [deleteProjectArchives],
  subscriptions: [onProjectDestroyed],
});
