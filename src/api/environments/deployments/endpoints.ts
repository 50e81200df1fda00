import {
  filterRules,
  ListedMergeRequest,
  mergeRequestsOfProject,
  ofProjectParams,
} from '#api/planning/merge-requests/index.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { environmentTurn, turnsWithJobs } from '../environment-model/index.ts';
import { changingDeployment, creatingDeployment, readingDeployment } from './access.ts';
import { approve } from './approve.ts';
import { createDeployment as create } from './create.ts';
import { removeDeployment } from './delete.ts';
import { Approval, Deployment, DeploymentInList } from './entities.ts';
import { APPROVAL_REFUSALS, BY_JOB } from './errors.ts';
import { approvalParams, brokenCombination, COMBINATIONS, changeParams, listParams, newParams } from './parameters.ts';
import { shippedWith } from './shipped-merge-requests.ts';
import { listDeployments as list } from './store.ts';
import { updateDeployment as update } from './update.ts';

/** Deployments: what was put where, when and by whom, and who approves of it (contract/environments.md Part 4). */

export const listDeployments = endpoint({
  get: '/projects/:id/deployments',
  summary: 'List the deployments of a project',
  access: inProject('read_deployment'),
  allowJobToken: true,
  params: listParams,
  errors: COMBINATIONS,
  response: page(DeploymentInList),
  read: (db, { project, params, page }) => brokenCombination(params) ?? list(db, project.id, params, page),
});

export const readDeployment = endpoint({
  get: '/projects/:id/deployments/:deployment_id',
  summary: 'Read a deployment',
  access: readingDeployment(),
  allowJobToken: true,
  response: ok(Deployment),
  read: (_db, { deployment }) => deployment,
});

export const createDeployment = endpoint({
  post: '/projects/:id/deployments',
  summary: 'Report a deployment that was made elsewhere',
  access: creatingDeployment(),
  allowJobToken: true,
  params: newParams,
  errors: { forbidden: FORBIDDEN, invalid: INVALID },
  response: created(Deployment),
  handle: ({ project, caller, mayDeploy, params }, services) => create(services, caller, project, mayDeploy, params),
});

export const updateDeployment = endpoint({
  put: '/projects/:id/deployments/:deployment_id',
  summary: 'Report what has become of a deployment that was made elsewhere',
  access: changingDeployment('update_deployment'),
  allowJobToken: true,
  params: changeParams,
  lock: ({ deployment }) => environmentTurn(deployment.environment_id),
  errors: { byJob: BY_JOB, gone: NOT_FOUND, invalid: INVALID },
  response: ok(Deployment),
  write: (uow, { deployment, params }) => update(uow, deployment, params.status),
});

export const deleteDeployment = endpoint({
  delete: '/projects/:id/deployments/:deployment_id',
  summary: 'Forget a deployment',
  access: changingDeployment('destroy_deployment'),
  allowJobToken: true,
  lastModified: ({ deployment }) => deployment.updated_at,
  lock: ({ deployment }) => environmentTurn(deployment.environment_id),
  errors: {
    gone: NOT_FOUND,
    running: [400, 'Cannot destroy running deployment'],
    deployed: [400, 'Deployment currently deployed to environment'],
  },
  response: noContent,
  write: (uow, { deployment }) => removeDeployment(uow, deployment),
});

export const approveDeployment = endpoint({
  post: '/projects/:id/deployments/:deployment_id/approval',
  summary: 'Approve of a deployment, or reject it',
  access: readingDeployment(),
  allowJobToken: true,
  params: approvalParams,
  lock: ({ deployment }) => turnsWithJobs(deployment.project_id, deployment.environment_id),
  errors: APPROVAL_REFUSALS,
  activity: ['deployment_approved', 'deployment_rejected'],
  response: created(Approval),
  write: (uow, { project, deployment, params }) => approve(uow, project, deployment, params),
});

export const listDeploymentMergeRequests = endpoint({
  get: '/projects/:id/deployments/:deployment_id/merge_requests',
  summary: 'List the merge requests that were shipped with a deployment',
  access: readingDeployment(),
  allowJobToken: true,
  params: ofProjectParams,
  rules: filterRules,
  response: page(ListedMergeRequest),
  read: (db, call) => mergeRequestsOfProject(db, call, shippedWith(call.deployment)),
});
