import { Type } from 'typebox';
import { inGroup, inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, list, nullable } from '#http/endpoint/responses.ts';
import { requireImportsEnabled } from '../bulk-imports/index.ts';

/**
 * The first call of the destination of a migration (contract/operations.md §1.5): may the owner of this token export the group or
 * project? Hearth exports nothing: imports read the lists of the API.
 */
const ExportStatus = entity('ExportRelationStatus', {
  relation: Type.String(),
  status: Type.String(),
  error: nullable(Type.String()),
  updated_at: dateTime,
  batched: Type.Boolean(),
  batches_count: Type.Integer(),
  total_objects_count: Type.Integer(),
});

export const getGroupExportStatus = endpoint({
  get: '/groups/:id/export_relations/status',
  summary: 'Get the export status of a group',
  access: inGroup('export_group').whenEnabled(requireImportsEnabled),
  response: list(ExportStatus),
  read: () => [],
});

export const getProjectExportStatus = endpoint({
  get: '/projects/:id/export_relations/status',
  summary: 'Get the export status of a project',
  access: inProject('export_project').whenEnabled(requireImportsEnabled),
  response: list(ExportStatus),
  read: () => [],
});
