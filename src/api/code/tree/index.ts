import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { loadFolderPage, TREE_ERRORS, toDisplayPath, treeParams } from './list.ts';

export const tree = resourceModule({ endpoints });
