import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { optional } from '#http/parameters/declarations.ts';
import { oneOf } from '#http/parameters/types.ts';
import { jobsLockKey } from '../processing/index.ts';
import { resourceGroupResource } from './access.ts';
import { ResourceGroup } from './entities.ts';
import { listResourceGroups as listResourceGroupsOfProject } from './store.ts';
import { updateProcessMode } from './update.ts';

/** Resource groups: one job of a group runs at a time (contract/runners.md §5.6). */

export const listResourceGroups = endpoint({
  get: '/projects/:id/resource_groups',
  summary: 'List the resource groups of a project',
  access: inProject('read_resource_group'),
  response: page(ResourceGroup),
  read: (db, { project, page }) => listResourceGroupsOfProject(db, project.id, page),
});

export const getResourceGroup = endpoint({
  get: '/projects/:id/resource_groups/:key',
  summary: 'Get a resource group',
  access: inProject('read_resource_group').resource(resourceGroupResource),
  response: ok(ResourceGroup),
  read: (_db, { resourceGroup }) => resourceGroup,
});

export const updateResourceGroup = endpoint({
  put: '/projects/:id/resource_groups/:key',
  summary: 'Update a resource group',
  access: inProject('update_pipeline').resource(resourceGroupResource),
  params: { process_mode: optional(oneOf('unordered', 'oldest_first', 'newest_first', 'newest_ready_first')) },
  lock: ({ resourceGroup }) => jobsLockKey(resourceGroup.project_id),
  response: ok(ResourceGroup),
  write: (uow, { resourceGroup, params }) => updateProcessMode(uow, resourceGroup, params.process_mode),
});
