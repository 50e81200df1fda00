import { Type } from 'typebox';
import { inGroup, inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, list, nullable } from '#http/endpoint/responses.ts';
import { refuseSwitchedOff } from '../bulk-imports/index.ts';

/**
 * What the destination of a migration asks first (contract/operations.md §1.5): may the owner of this token copy it from here?
 * Nothing is exported: who copies from Hearth reads lists.
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
  access: inGroup('export_group').whenEnabled(refuseSwitchedOff),
  response: list(ExportStatus),
  read: () => [],
});

export const getProjectExportStatus = endpoint({
  get: '/projects/:id/export_relations/status',
  summary: 'Get the export status of a project',
  access: inProject('export_project').whenEnabled(refuseSwitchedOff),
  response: list(ExportStatus),
  read: () => [],
});
