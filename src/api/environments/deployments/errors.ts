import { NOT_FOUND } from '#http/errors/error-messages.ts';

// Errors of the deployment endpoints (contract/environments.md Part 4).

export const CREATED_BY_JOB = [
  403,
  '403 Forbidden - Deployments created using Hearth CI can not be updated using the API',
] as const;

export const APPROVAL_ERRORS = {
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
