import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { refuseSwitchedOff } from './access.ts';

/**
 * `operations/bulk-imports/` asks the source and looks at the destination, then the queue copies:
 * `bulk-import-engine/` runs an entity (a group or project) relation by relation, page by page, and
 * `bulk-import-relations/` says of each relation where it is listed, what is read of an element and how it becomes a
 * row (`relation.ts` tells how to write one). An element is stored in one act, which writes down what it has become:
 * what is asked for again after a crash is skipped. A call that may succeed later ends the run; the queue brings it
 * back. Such work is `long` and has places of its own in the queue.
 */
export const bulkImports = resourceModule({ endpoints });
