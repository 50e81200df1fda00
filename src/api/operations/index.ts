import { type ResourceModules, resourceModule } from '#http/endpoint/resource-module.ts';
import { bulkImportEngine } from './bulk-import-engine/index.ts';
import { bulkImports } from './bulk-imports/index.ts';
import * as exportRelations from './export-relations/endpoints.ts';
import { geo } from './geo/index.ts';
import { geoSites } from './geo-sites/index.ts';
import { replicables } from './replicables/index.ts';
import { repositoryStorageMoves } from './repository-storage-moves/index.ts';
import { sshCertificates } from './ssh-certificates/index.ts';
import { wikis } from './wikis/index.ts';

/** Imports, exports, replication, storage moves, wikis and SSH certificates. */
export const operations: ResourceModules = {
  'bulk-import-engine': bulkImportEngine,
  'bulk-imports': bulkImports,
  'export-relations': resourceModule({ endpoints: exportRelations }),
  wikis,
  'repository-storage-moves': repositoryStorageMoves,
  'ssh-certificates': sshCertificates,
  replicables,
  'geo-sites': geoSites,
  geo,
};
