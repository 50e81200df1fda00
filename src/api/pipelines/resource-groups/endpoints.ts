import type { Selectable } from 'kysely';
import { Type } from 'typebox';
import type { Reader, Schema } from '#database/database.ts';
import { paginate } from '#database/page.ts';
import type { ProcessMode } from '#database/schema.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, ok, page } from '#http/endpoint/responses.ts';
import { notFound } from '#http/errors/http-error.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { oneOf } from '#http/parameters/types.ts';
import { jobsLockKey, startNextInResourceGroup } from '../processing/index.ts';

type ResourceGroupRow = Selectable<Schema['resource_groups']>;

/** Selects the resource groups of a project. index: resource_groups_by_key */
function selectOfProject(db: Reader, projectId: number) {
  return db.selectFrom('resource_groups').selectAll().where('project_id', '=', projectId);
}

/** The resource group in the path. */
const resourceGroupResource = {
  name: 'resourceGroup',
  params: { key: required(string) },
  load: async ({ db, params }: AccessCall<{ readonly key: string }>, { project }: { readonly project: Project }) =>
    (await selectOfProject(db, project.id).where('key', '=', params.key).executeTakeFirst()) ?? null,
  notFound: () => notFound(),
} as const;

const ResourceGroup = entity('ResourceGroup', {
  id: Type.Integer(),
  key: Type.String(),
  process_mode: Type.String(),
  created_at: dateTime,
  updated_at: dateTime,
}).columns();

// Resource groups: one job of a group runs at a time (contract/runners.md §5.6).

export const listResourceGroups = endpoint({
  get: '/projects/:id/resource_groups',
  summary: 'List the resource groups of a project',
  description:
    'Returns the resource groups that CI files of the project have named, oldest first. Of the jobs of one group, only one runs at a time.',
  access: inProject('read_resource_group'),
  response: page(ResourceGroup),
  read: (db, { project, page }) => paginate(db, selectOfProject(db, project.id).orderBy('id'), page),
});

export const getResourceGroup = endpoint({
  get: '/projects/:id/resource_groups/:key',
  summary: 'Get a resource group',
  description: 'Returns the group that CI files name with `resource_group`.',
  access: inProject('read_resource_group').resource(resourceGroupResource),
  response: ok(ResourceGroup),
  read: (_db, { resourceGroup }) => resourceGroup,
});

export const updateResourceGroup = endpoint({
  put: '/projects/:id/resource_groups/:key',
  summary: 'Update a resource group',
  description:
    'Changes the order in which waiting jobs start. If the resource is free, the first job by the new order starts immediately.',
  access: inProject('update_pipeline').resource(resourceGroupResource),
  params: {
    process_mode: describe(
      optional(oneOf('unordered', 'oldest_first', 'newest_first', 'newest_ready_first')),
      '`oldest_first` and `newest_first` also wait for jobs of such a pipeline that are not ready yet.',
    ),
  },
  lock: ({ resourceGroup }) => jobsLockKey(resourceGroup.project_id),
  response: ok(ResourceGroup),
  write: (uow, { resourceGroup, params }) => updateProcessMode(uow, resourceGroup, params.process_mode),
});

/**
 * Updates the process mode (null: unchanged) and returns the group. The new order may start a waiting job immediately.
 * index: resource_groups primary key
 */
async function updateProcessMode(
  uow: UnitOfWork,
  group: ResourceGroupRow,
  mode: ProcessMode | null | undefined,
): Promise<ResourceGroupRow> {
  if (mode == null || mode === group.process_mode) return group;
  const changedColumns = { process_mode: mode, updated_at: uow.now };
  await uow.updateTable('resource_groups').set(changedColumns).where('id', '=', group.id).execute();
  await startNextInResourceGroup(uow, group);
  return { ...group, ...changedColumns };
}
