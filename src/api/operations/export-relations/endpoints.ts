import { Type } from 'typebox';
import { inGroup, inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, list, nullable } from '#http/endpoint/responses.ts';
import { optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { fail } from '#runtime/failure.ts';
import { requireImportsEnabled } from '../bulk-imports/index.ts';

/**
 * Export status of a group or project (contract/operations.md §1.5). A destination server requests it first, to check that the
 * owner of the token may export the group or project. The list is always empty: imports read the lists of the API instead.
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

const EXPORT_PARAMS = { relation: optional(string) };
const EXPORT_ERRORS = { exportNotFound: [404, 'Export not found'] } as const;

/** Returns no exports; fails for the export of one relation. */
const listExports = (relation: string | null | undefined) => (relation == null ? [] : fail('exportNotFound'));

export const getGroupExportStatus = endpoint({
  get: '/groups/:id/export_relations/status',
  summary: 'Get the export status of a group',
  description:
    'Servers that import the group request this first, to check that the token may export it. The list is always empty, because importing servers read the lists of the API. With `relation` the response is 404.',
  access: inGroup('export_group').whenEnabled(requireImportsEnabled),
  params: EXPORT_PARAMS,
  errors: EXPORT_ERRORS,
  response: list(ExportStatus),
  read: (_db, { params }) => listExports(params.relation),
});

export const getProjectExportStatus = endpoint({
  get: '/projects/:id/export_relations/status',
  summary: 'Get the export status of a project',
  description:
    'Servers that import the project request this first, to check that the token may export it. The list is always empty, because importing servers read the lists of the API. With `relation` the response is 404.',
  access: inProject('export_project').whenEnabled(requireImportsEnabled),
  params: EXPORT_PARAMS,
  errors: EXPORT_ERRORS,
  response: list(ExportStatus),
  read: (_db, { params }) => listExports(params.relation),
});
