import { resourceModule } from '#http/endpoint/resource-module.ts';
import { deleteBotsOfGroup, deleteBotsOfProject } from './changes.ts';
import * as endpoints from './endpoints.ts';

export const accessTokens = resourceModule({ endpoints, subscriptions: [deleteBotsOfProject, deleteBotsOfGroup] });
