import { resourceModule } from '#http/endpoint/resource-module.ts';
import { findChecksums } from './checksums.ts';

export { deleteChecksums } from './checksum-store.ts';
export { enqueueChecksums } from './checksums.ts';
export { countReplicables, countRows } from './counts.ts';
export { loadReplicables } from './list.ts';
export { REPLICABLE_NAMES, type Replicable } from './replicable.ts';

/** The objects that secondaries copy, by kind. It has no endpoints; other resource modules use it. */
export const replicables = resourceModule({ endpoints: {}, jobs: [findChecksums] });
