import { resourceModule } from '#http/endpoint/resource-module.ts';
import { deleteRepositoryOfProject, destroyMarkedProjects, destroyMarkedProjectsDaily } from './destroy.ts';
import * as endpoints from './endpoints.ts';
import { syncHeadJob } from './update.ts';

export { userAccess } from './access.ts';
export { recordProjectVisibility } from './activity.ts';
// Exports for other modules.
export { type AttributeName, projectAttributeParams, validateArtifactSize } from './attributes/attributes.ts';
export { validateUnsupportedAttribute } from './attributes/input-attributes.ts';
export { parseStoredAttributes } from './attributes/stored-attributes.ts';
export { TRANSFER_ERRORS, TRANSFER_UNIQUE_ERRORS, transferProject } from './changes.ts';
export { importProject, mayCreatePersonalProject } from './create.ts';
export { chooseRestoredNames } from './delete.ts';
export {
  destroyProject,
  destroyProjectBatch,
  hasRepositoryMove,
  isDestructionStarted,
  RepositoryMoveInProgress,
} from './destroy.ts';
export {
  EmbeddedProject,
  NamespaceBasic,
  Project,
  ProjectForCaller,
  ProjectIdentity,
  ProjectSimple,
} from './entities.ts';
export { escapeHtml, toHtmlParagraphs } from './html-paragraphs.ts';
export { listProjectsByParams, loadProjectPage, UPDATED_AT_ERRORS } from './listing/list.ts';
export { projectFilterParams, projectListParams, toCommonFilter } from './parameters.ts';
export { withRunnersToken } from './runners-token.ts';
export { sizeFields, toSizes } from './statistics.ts';
export { PROJECT_ORDERS } from './store.ts';
export { validateDefaultBranch } from './validation.ts';

export const projects = resourceModule({
  endpoints,
  jobs: [destroyMarkedProjects, syncHeadJob],
  schedules: [destroyMarkedProjectsDaily],
  subscriptions: [deleteRepositoryOfProject],
});
