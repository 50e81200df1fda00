import { family } from '#http/endpoint/resource-module.ts';
import { pointHeadJob } from './default-branch.ts';
import { removeProjectRepository } from './deletion/destroy.ts';
import { destroyMarkedDaily, destroyMarkedJob } from './deletion/destroy-marked.ts';
import * as endpoints from './endpoints.ts';

export { ofUser } from './access.ts';
export { recordProjectVisibility } from './activity.ts';
// What other families may use of projects.
export { type AttributeName, attributeParams } from './attributes/attributes.ts';
export { storedAttributes } from './attributes/stored-attributes.ts';
export { guardErrors } from './attributes/unsupported-attributes.ts';
export { artifactSizeErrors } from './attributes/validation.ts';
export { importProject } from './creation/import.ts';
export { areMoving, destroyPieceOfProject, destroyProject, IsMoving, isBegun } from './deletion/destroy.ts';
export { restoredNames } from './deletion/restored-names.ts';
export { EmbeddedProject, NamespaceBasic, Project, ProjectIdentity, ProjectSimple, ShownProject } from './entities.ts';
export { escaped, paragraphs } from './html-paragraphs.ts';
export { pageOfProjects } from './listing/list.ts';
export { listedProjects, UNPAIRED } from './listing/list-page.ts';
export { commonFilter, filterParams, projectListParams } from './parameters.ts';
export { withRunnersToken } from './runners-token.ts';
export { sizeFields, sizesOf } from './statistics.ts';
export { TRANSFER_REFUSALS, TRANSFER_TAKEN, transfer } from './transfer.ts';
export { branchErrors } from './validation.ts';

export const projects = family({
  endpoints,
  jobs: [destroyMarkedJob, pointHeadJob],
  schedules: [destroyMarkedDaily],
  subscriptions: [removeProjectRepository],
});
