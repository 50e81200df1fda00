import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { rawEntity } from '#http/endpoint/entity.ts';
import { Message, ok } from '#http/endpoint/responses.ts';
import { forbidden } from '#http/errors/http-error.ts';
import { idCursor } from '#http/lists/pagination.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { integer, integerIn } from '#http/parameters/types.ts';

/** Always responds with 404, because the server has no packages (contract/runners.md §4.10). */
export const listPackagePipelines = endpoint({
  get: '/projects/:id/packages/:package_id/pipelines',
  summary: 'List the pipelines of a package',
  access: inProject('read_package')
    .require((_call, { project }) => {
      if (!parseStoredAttributes(project).packages_enabled) throw forbidden();
    })
    .withLabel('project:read_package + packages are on'),
  allowJobToken: true,
  params: {
    package_id: required(integer),
    per_page: optional(integerIn({ min: 1, max: 20 })),
    cursor: optional(idCursor),
  },
  response: { ...ok(rawEntity(Message)), status: 404 },
  read: () => ({ message: '404 Not found' }),
});
