import { resourceModule } from '#http/endpoint/resource-module.ts';
import { syncHeadJob } from './default-branch.ts';
import { deleteRepositoryOfProject } from './deletion/destroy.ts';
import { destroyMarkedProjects, destroyMarkedProjectsDaily } from './deletion/destroy-marked.ts';
import * as endpoints from './endpoints.ts';

export { userAccess } from './access.ts';
export { recordProjectVisibility } from './activity.ts';
// Exports for other modules.
export { type AttributeName, projectAttributeParams } from './attributes/attributes.ts';
export { validateUnsupportedAttribute } from './attributes/input-attributes.ts';
export { parseStoredAttributes } from './attributes/stored-attributes.ts';
export { validateArtifactSize } from './attributes/validation.ts';
export { TRANSFER_ERRORS, TRANSFER_UNIQUE_ERRORS, transfer } from './changes.ts';
export { importProject } from './creation/changes.ts';
export {
  destroyProject,
  destroyProjectBatch,
  hasRepositoryMove,
  isDestructionStarted,
  RepositoryMoveInProgress,
} from './deletion/destroy.ts';
export { chooseRestoredNames } from './deletion/mark-for-deletion.ts';
export {
  EmbeddedProject,
  NamespaceBasic,
  Project,
  ProjectForCaller,
  ProjectIdentity,
  ProjectSimple,
} from './entities.ts';
export { escapeHtml, toHtmlParagraphs } from './html-paragraphs.ts';
export { loadProjectPage } from './listing/list.ts';
export { listProjectsByParams, UPDATED_AT_ERRORS } from './listing/list-page.ts';
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
