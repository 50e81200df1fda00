import { family } from '../../../http/endpoint/family.ts';
import { pointHeadJob } from './default-branch.ts';
import { removeProjectRepository } from './destroy.ts';
import { destroyMarkedDaily, destroyMarkedJob } from './destroy-marked.ts';
import * as endpoints from './endpoints.ts';

export { ofUser } from './access.ts';
export { artifactSizeErrors } from './attribute-errors.ts';
// What other families may use of projects.
export { type AttributeName, attributeParams } from './attributes.ts';
export { areMoving, destroyPieceOfProject, destroyProject, IsMoving, isBegun } from './destroy.ts';
export { EmbeddedProject, NamespaceBasic, Project, ProjectIdentity, ProjectSimple, ShownProject } from './entities.ts';
export { guardErrors } from './guards.ts';
export { recordProjectVisibility } from './history.ts';
export { importProject } from './import.ts';
export { pageOfProjects } from './list.ts';
export { listedProjects, UNPAIRED } from './listed.ts';
export { escaped, paragraphs } from './paragraphs.ts';
export { commonFilter, filterParams, projectListParams } from './parameters.ts';
export { restoredNames } from './restored.ts';
export { withRunnersToken } from './runners-token.ts';
export { sizeFields, sizesOf } from './statistics.ts';
export { storedAttributes } from './stored-attributes.ts';
export { TRANSFER_REFUSALS, TRANSFER_TAKEN, transfer } from './transfer.ts';
export { branchErrors } from './values.ts';

export const projects = family({
  endpoints,
  jobs: [destroyMarkedJob, pointHeadJob],
  schedules: [destroyMarkedDaily],
  subscriptions: [removeProjectRepository],
});
