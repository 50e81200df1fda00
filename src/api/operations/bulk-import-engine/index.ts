import { resourceModule } from '#http/endpoint/resource-module.ts';
import { GROUP_RELATIONS, PROJECT_RELATIONS } from '../bulk-import-relations/index.ts';
import { advanceImport, migrateEntity, sweepImports, sweepImportsOften } from './jobs.ts';
import { deleteImportsOfUser } from './on-delete.ts';

// What other families may use of the engine.
export { keepConfiguration } from './configuration.ts';
export { checkDestination } from './destination.ts';
export { advanceImport, cancelImport } from './jobs.ts';
export {
  baseOfSource,
  type Configuration,
  createSource,
  MISSING_TOKEN,
  type Source,
  type SourceAnswer,
  SourceFailure,
  sourcePath,
} from './source.ts';

/** The relations of which entities show counts. */
export const COUNTED: ReadonlySet<string> = new Set(
  [...GROUP_RELATIONS, ...PROJECT_RELATIONS].filter(({ counted }) => counted === true).map(({ name }) => name),
);

/** Copies groups and projects from other servers. */
export const bulkImportEngine = resourceModule({
  endpoints: {},
  jobs: [advanceImport, migrateEntity, sweepImports],
  schedules: [sweepImportsOften],
  subscriptions: [deleteImportsOfUser],
});
