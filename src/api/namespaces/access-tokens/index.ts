import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { deleteBotsOfGroup, deleteBotsOfProject } from './on-delete.ts';

export const accessTokens = resourceModule({ endpoints, subscriptions: [deleteBotsOfProject, deleteBotsOfGroup] });
