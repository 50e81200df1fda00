import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { requireImportsEnabled } from './access.ts';

/**
 * `operations/bulk-imports/` checks the source and the destination; jobs copy the data. `bulk-import-engine/` runs an entity
 * (a group or project) one relation and one page at a time. `bulk-import-relations/` declares the path, the fields and the
 * storing of each relation (`relation.ts` explains how to write one). One transaction stores an element together with its
 * mapping to a local id, so a run after a crash skips it. A call that may succeed later ends the run, and the queue retries
 * it. These jobs are `external` and have their own slots in the queue.
 */
export const bulkImports = resourceModule({ endpoints });
