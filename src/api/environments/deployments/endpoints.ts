import {
  ListedMergeRequest,
  listMergeRequestsOfProject,
  mergeRequestFilterRules,
  projectMergeRequestParams,
} from '#api/planning/merge-requests/index.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, refName, string } from '#http/parameters/texts.ts';
import { absentIfBlank, boolean, notBlank, oneOf } from '#http/parameters/types.ts';
import { environmentLockKey, environmentLockKeys } from '../environment-model/index.ts';
import { createDeploymentAccess, readDeploymentAccess, updateDeploymentAccess } from './access.ts';
import * as changes from './changes.ts';
import { Approval, Deployment, DeploymentInList } from './entities.ts';
import { FILTER_ERRORS, listDeploymentParams, validateFilter } from './parameters.ts';
import { mergeRequestsOfDeploymentCondition } from './shipped-merge-requests.ts';
import * as store from './store.ts';

// Errors of the deployment endpoints (contract/environments.md Part 4).

const CREATED_BY_JOB = [
  403,
  '403 Forbidden - Deployments created using Hearth CI can not be updated using the API',
] as const;

const APPROVAL_ERRORS = {
  notFound: NOT_FOUND,
  notProtected: [400, 'This environment is not protected.'],
  isOwnDeployment: [
    400,
    'You cannot approve your own deployment. This configuration can be adjusted in the protected environment settings.',
  ],
  notConfigured: [400, 'Deployment approvals is not configured for this environment.'],
  notWaiting: [400, 'This deployment is not waiting for approvals.'],
  notAllowed: [
    400,
    "You don't have permission to approve this deployment. Contact the project or group owner for help.",
  ],
  noSuchRule: [
    400,
    'There are no approval rules for the given `represent_as` parameter. Use a valid User/Group/Role name instead.',
  ],
  commentTooLong: [400, { message: ['Comment is too long (maximum is 255 characters)'] }],
} as const;

/** The statuses that clients may set. */
const settableStatus = oneOf('running', 'success', 'failed', 'canceled');

// Deployments and their approvals (contract/environments.md Part 4).

export const listDeployments = endpoint({
  get: '/projects/:id/deployments',
  summary: 'List deployments of a project',
  description:
    'Returns deployments of all environments, those of jobs and those that clients reported. A filter by update time requires the order `updated_at`. A filter by finish time requires the order `finished_at` and the status `success`.',
  access: inProject('read_deployment'),
  allowJobToken: true,
  params: listDeploymentParams,
  errors: FILTER_ERRORS,
  response: page(DeploymentInList),
  read: (db, { project, params, page }) =>
    validateFilter(params) ?? store.listDeployments(db, project.id, params, page),
});

export const getDeployment = endpoint({
  get: '/projects/:id/deployments/:deployment_id',
  summary: 'Get a deployment',
  description:
    'Returns the deployment with its job, its approvals, and the approval rules that apply to its environment. `pending_approval_count` is the number of approvals that are still required.',
  access: readDeploymentAccess(),
  allowJobToken: true,
  response: ok(Deployment),
  read: (_db, { deployment }) => deployment,
});

export const createDeployment = endpoint({
  post: '/projects/:id/deployments',
  summary: 'Create a deployment',
  description:
    'Records a deployment that another system made; no job is started. The environment is created if it is missing. A deployment equal to the last successful one of the environment is not repeated: that one is returned. A successful deployment makes a stopped environment available again. If the environment is protected, the caller must be allowed to deploy to it.',
  access: createDeploymentAccess(),
  allowJobToken: true,
  params: {
    environment: describe(required(notBlank(domainValidatedText(255))), 'The name of the environment.'),
    sha: describe(required(notBlank(refName)), 'A commit of the repository, stored as sent.'),
    ref: describe(required(notBlank(refName)), 'The branch, tag or commit that was deployed.'),
    tag: describe(required(boolean), 'Whether `ref` is a tag.'),
    status: required(settableStatus),
  },
  errors: { forbidden: FORBIDDEN, invalid: INVALID },
  response: created(Deployment),
  handle: ({ project, caller, mayDeploy, params }, services) =>
    changes.createDeployment(services, caller, project, mayDeploy, params),
});

export const updateDeployment = endpoint({
  put: '/projects/:id/deployments/:deployment_id',
  summary: 'Update the status of a deployment',
  description:
    'Only deployments that clients reported can be updated; the status of others follows their job. A finished deployment cannot become `running` again, and no status can be set twice. A success makes a stopped environment available and links the merge requests that were shipped, in the background.',
  access: updateDeploymentAccess('update_deployment'),
  allowJobToken: true,
  params: { status: required(settableStatus) },
  lock: ({ deployment }) => environmentLockKey(deployment.environment_id),
  errors: { createdByJob: CREATED_BY_JOB, notFound: NOT_FOUND, invalid: INVALID },
  response: ok(Deployment),
  write: (uow, { deployment, params }) => changes.updateDeployment(uow, deployment, params.status),
});

export const deleteDeployment = endpoint({
  delete: '/projects/:id/deployments/:deployment_id',
  summary: 'Delete a deployment',
  description:
    'A running deployment, and the last successful one of its environment, cannot be deleted. If the environment is protected, the caller must be allowed to deploy to it.',
  access: updateDeploymentAccess('destroy_deployment'),
  allowJobToken: true,
  lastModified: ({ deployment }) => deployment.updated_at,
  lock: ({ deployment }) => environmentLockKey(deployment.environment_id),
  errors: {
    notFound: NOT_FOUND,
    isRunning: [400, 'Cannot destroy running deployment'],
    isLastDeployment: [400, 'Deployment currently deployed to environment'],
  },
  response: noContent,
  write: (uow, { deployment }) => changes.deleteDeployment(uow, deployment),
});

export const approveDeployment = endpoint({
  post: '/projects/:id/deployments/:deployment_id/approval',
  summary: 'Approve or reject a deployment',
  description:
    'Records one decision per user and approval rule; the same decision again returns the first one, and the other decision replaces it. A rejection fails the job of the deployment. The last required approval starts the job; with approval rules, a user must then play it. Users cannot approve deployments that they started, unless the project allows it.',
  access: readDeploymentAccess(),
  allowJobToken: true,
  params: {
    status: required(oneOf('approved', 'rejected')),
    comment: optional(domainValidatedText(255)),
    represented_as: describe(
      optional(absentIfBlank(string)),
      'Part of the user, group or role name of the approval rule to use; by default, the first rule that admits the caller.',
    ),
  },
  lock: ({ deployment }) => environmentLockKeys(deployment.project_id, deployment.environment_id),
  errors: APPROVAL_ERRORS,
  activity: ['deployment_approved', 'deployment_rejected'],
  response: created(Approval),
  write: (uow, { project, deployment, params }) => changes.submitApproval(uow, project, deployment, params),
});

export const listDeploymentMergeRequests = endpoint({
  get: '/projects/:id/deployments/:deployment_id/merge_requests',
  summary: 'List merge requests of a deployment',
  description:
    'Returns the merge requests whose commits the deployment brought to its environment. They are linked in the background after the deployment succeeded, once per environment. The filters and orders are those of the merge requests of a project; all states are included by default.',
  access: readDeploymentAccess(),
  allowJobToken: true,
  params: projectMergeRequestParams,
  rules: mergeRequestFilterRules,
  response: page(ListedMergeRequest),
  read: (db, call) => listMergeRequestsOfProject(db, call, mergeRequestsOfDeploymentCondition(call.deployment)),
});
