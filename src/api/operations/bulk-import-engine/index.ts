import { resourceModule } from '#http/endpoint/resource-module.ts';
import { GROUP_RELATIONS, PROJECT_RELATIONS } from '../bulk-import-relations/index.ts';
import { advanceImport, cleanUpImportsJob, cleanUpImportsRegularly, migrateEntity } from './jobs.ts';

// The exports for other modules.
export { insertConfiguration } from './configuration.ts';
export { checkDestination } from './destination.ts';
export { advanceImport, cancelImport } from './jobs.ts';
export {
  createSourceClient,
  getSourceBaseUrl,
  getSourceEntityPath,
  INVALID_TOKEN_MESSAGE,
  type SourceClient,
  type SourceConfiguration,
  SourceFailure,
  type SourceResponse,
} from './source.ts';

/** The relations with counts in the `stats` of entities. */
export const RELATIONS_IN_STATS: ReadonlySet<string> = new Set(
  [...GROUP_RELATIONS, ...PROJECT_RELATIONS].filter(({ inStats }) => inStats === true).map(({ name }) => name),
);

/** Jobs that copy groups and projects from other servers. */
export const bulkImportEngine = resourceModule({
  endpoints: {},
  jobs: [advanceImport, migrateEntity, cleanUpImportsJob],
  schedules: [cleanUpImportsRegularly],
});
