import { findRunner } from '#authorization/runners.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent } from '#http/endpoint/responses.ts';
import { genericNotFound, notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { Runner } from '../entities.ts';
import { findRunnerInProject } from '../store.ts';
import { assignRunner as assignRunnerToProject, unassignRunner as unassignRunnerFromProject } from './changes.ts';

// contract/runners.md §1.6

const NO_ACCESS = [403, '403 Forbidden - No access granted'] as const;
const LOCKED = [403, '403 Forbidden - Runner is locked'] as const;

export const assignRunner = endpoint({
  post: '/projects/:id/runners',
  summary: 'Assign a runner to a project',
  access: inProject('admin_runner').resource({
    name: 'runner',
    params: { runner_id: required(integer) },
    load: ({ db, params }: AccessCall<{ readonly runner_id: number }>) => findRunner(db, params.runner_id),
    notFound: genericNotFound,
  }),
  errors: {
    isGroupRunner: [403, '403 Forbidden - Runner is a group runner'],
    locked: LOCKED,
    notPermitted: NO_ACCESS,
    isInstanceRunner: [400, '400 Bad request - Runner is an instance runner'],
    alreadyAssigned: [400, '400 Bad request - Runner has already been assigned to this project'],
    tooManyRunners: [400, '400 Bad request - Maximum number of project runners (1000) exceeded'],
  },
  uniqueErrors: { runner_projects_by_runner: 'alreadyAssigned' },
  activity: ['ci_runner_assigned_to_project'],
  response: created(Runner),
  write: (uow, { project, runner }) => assignRunnerToProject(uow, project, runner),
});

export const unassignRunner = endpoint({
  delete: '/projects/:id/runners/:runner_id',
  summary: 'Unassign a runner from a project',
  access: inProject('admin_runner').resource({
    name: 'runner',
    params: { runner_id: required(integer) },
    load: ({ db, params }: AccessCall<{ readonly runner_id: number }>, { project }) =>
      findRunnerInProject(db, project.id, params.runner_id),
    notFound: () => notFound('Runner'),
  }),
  lastModified: ({ runner }) => runner.updated_at,
  errors: {
    locked: LOCKED,
    notPermitted: NO_ACCESS,
    isOwnerProject: [
      403,
      '403 Forbidden - You cannot unassign a runner from the owner project. Delete the runner instead',
    ],
    notFound: [404, '404 Runner Not Found'],
  },
  activity: ['ci_runner_unassigned_from_project'],
  response: noContent,
  write: (uow, { project, runner }) => unassignRunnerFromProject(uow, project, runner),
});
