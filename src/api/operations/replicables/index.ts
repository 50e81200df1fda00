import { resourceModule } from '#http/endpoint/resource-module.ts';
import { findChecksums } from './checksums.ts';

export { deleteChecksums } from './checksum-store.ts';
export { wantChecksums } from './checksums.ts';
export { countReplicables, countRows } from './counts.ts';
export { readReplicables } from './list.ts';
export { REPLICABLE_NAMES, type Replicable } from './replicable.ts';

/** What is copied to other sites, kind by kind: no endpoints, other families ask. */
export const replicables = resourceModule({ endpoints: {}, jobs: [findChecksums] });
