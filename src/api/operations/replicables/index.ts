import { resourceModule } from '#http/endpoint/resource-module.ts';
import { computeChecksums } from './checksums.ts';

export { deleteOrphanedChecksums } from './checksum-store.ts';
export { enqueueChecksums } from './checksums.ts';
export { countReplicables, countRows } from './counts.ts';
export { loadReplicables } from './list.ts';
export { REPLICABLE_NAMES, type Replicable } from './replicable.ts';

/** The objects that secondaries copy, by kind. It has no endpoints; other resource modules use it. */
export const replicables = resourceModule({ endpoints: {}, jobs: [computeChecksums] });
