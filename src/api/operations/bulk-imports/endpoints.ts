import { Type } from 'typebox';
import { isReservedName } from '#authentication/users/usernames.ts';
import { BULK_IMPORT_STATES, ENTITY_TYPES } from '#database/schema.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, ok, page } from '#http/endpoint/responses.ts';
import { TOO_MANY_REQUESTS } from '#http/errors/error-messages.ts';
import { isParameterObject } from '#http/parameters/brackets.ts';
import { describe, object, optional, type ParameterRule, required } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { string } from '#http/parameters/texts.ts';
import { arrayOf, boolean, oneOf } from '#http/parameters/types.ts';
import { cancelImport } from '../bulk-import-engine/index.ts';
import { bulkImportAccess, cancelImportAccess, ownEntityAccess, ownImportAccess } from './access.ts';
import { createImport } from './create.ts';
import { BulkImport, BulkImportEntity, BulkImportFailure } from './entities.ts';
import { type BulkImportRow, listEntities, listFailures, listImports } from './store.ts';

// The parameters of `POST /bulk_imports` (contract/operations.md §1.1).

const buildPathMessage = (example: string) =>
  'must be a relative path and not include protocol, sub-domain, or domain information. ' +
  `For example, '${example}/full/path' not 'https://example.com/${example}/full/path'`;

const SLUG_MESSAGE =
  "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', " +
  "nor end with '-', '_', '.', '.git', or '.atom'. For example, 'destination_namespace' not 'destination/namespace'";

/** Creates the type of a string that `isValid` accepts. Other strings get the parameter name and `message` as the error. */
function createMatchingTextType(isValid: (value: string) => boolean, message: string): ParameterType<string> {
  return {
    schema: Type.String({ maxLength: MAX_LENGTH }),
    valueForNull: '',
    read(raw, name, problems) {
      const value = raw === null ? '' : string.read(raw, name, problems);
      if (value === null) return null;
      return isValid(value) ? value : problems.add(`${name} ${message}`);
    },
  };
}

/** Maximum length of a path, in characters. */
const MAX_LENGTH = 4096;

/** Returns whether the path consists of valid segments and does not begin with a reserved name. */
function isRelativePath(path: string): boolean {
  const segments = path.split('/');
  return segments.every((segment) => /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/.test(segment)) && !isReservedName(segments[0]!);
}

const isSlug = (slug: string): boolean =>
  slug.length <= 255 && /^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$/.test(slug) && !/\.(?:git|atom)$/i.test(slug);

const slugType = createMatchingTextType(isSlug, SLUG_MESSAGE);

const requireExactlyOneSlug: ParameterRule = (values, problems, prefix) => {
  const names = ['destination_slug', 'destination_name'];
  const presentNames = names.filter((name) => values[name] !== undefined);
  const qualifiedNames = names.map((name) => `${prefix}[${name}]`).join(', ');
  if (presentNames.length === 0) problems.add(`${qualifiedNames} are missing, at least one parameter must be provided`);
  if (presentNames.length > 1) problems.add(`${qualifiedNames} are mutually exclusive`);
};

/** Creates the type of an element of `entities`, whose source path `isValid` accepts. */
const createElementType = (isValid: (path: string) => boolean) =>
  object(
    {
      source_type: required(oneOf(...ENTITY_TYPES)),
      source_full_path: describe(
        required(createMatchingTextType(isValid, buildPathMessage('source'))),
        'The full path of the group or project on the source server.',
      ),
      destination_namespace: describe(
        required(
          createMatchingTextType((path) => path === '' || isRelativePath(path), buildPathMessage('destination')),
        ),
        'The full path of an existing group, or an empty text for a new top-level group.',
      ),
      destination_slug: describe(optional(slugType), 'The path of the new group or project in its namespace.'),
      destination_name: describe(optional(slugType), 'The deprecated name of `destination_slug`.'),
      migrate_projects: describe(optional(boolean, true), 'Whether the projects of a group are copied too.'),
      migrate_memberships: describe(optional(boolean, true), 'Whether members are copied.'),
    },
    [requireExactlyOneSlug],
  );

const groupElement = createElementType(isRelativePath);
/** A project path has at least two segments. */
const projectElement = createElementType((path) => path.includes('/') && isRelativePath(path));

const entityElement: typeof groupElement = {
  ...groupElement,
  read(raw, name, problems) {
    const elementType = isParameterObject(raw) && raw.source_type === 'project_entity' ? projectElement : groupElement;
    return elementType.read(raw, name, problems);
  },
};

const entityList = arrayOf(entityElement);

/** A list with at least one element. */
const nonEmptyEntityList: typeof entityList = {
  ...entityList,
  valueForNull: [],
  read(raw, name, problems) {
    if (raw === null || raw === '' || (Array.isArray(raw) && raw.length === 0)) return problems.add(`${name} is empty`);
    return entityList.read(raw, name, problems);
  },
};

const createBulkImportParams = {
  configuration: describe(
    required(object({ url: required(string), access_token: required(string) })),
    'The base URL of the source server, and a personal access token of it with the scope `api`.',
  ),
  entities: describe(
    required(nonEmptyEntityList),
    'The groups and projects to copy; a single object counts as a list of one.',
  ),
};

const listParams = {
  sort: describe(optional(oneOf('asc', 'desc'), 'desc'), 'The order by creation time.'),
  status: optional(oneOf(...BULK_IMPORT_STATES)),
};

export const createBulkImport = endpoint({
  post: '/bulk_imports',
  summary: 'Copy groups and projects from another server',
  description:
    'Checks the source server, the token and all destinations, then starts the import in the background and returns it in status `created`. If a check fails, the response is 422 and nothing is stored. The token is never returned. A user can start six imports per minute.',
  access: bulkImportAccess,
  params: createBulkImportParams,
  errors: { tooMany: TOO_MANY_REQUESTS, failed: [422, '{message}'] },
  activity: ['group_created'],
  response: created(BulkImport),
  handle: ({ request, caller, params: input, base }, services) =>
    createImport(services, { request, caller, serverUrl: base.url }, input),
});

export const listBulkImports = endpoint({
  get: '/bulk_imports',
  summary: 'List your imports',
  description:
    'Returns only imports that the caller started, newest first by default; administrators do not see those of others. The response is 404 if imports are switched off.',
  access: bulkImportAccess,
  params: listParams,
  response: page(BulkImport),
  read: (db, { caller, params: filter, page }) => listImports(db, caller.user.id, filter, page),
});

export const listAllBulkImportEntities = endpoint({
  get: '/bulk_imports/entities',
  summary: 'List entities of all your imports',
  description:
    "Returns the groups and projects that the caller's imports copy, newest first by default, with their failures and the number of imported records.",
  access: bulkImportAccess,
  params: listParams,
  response: page(BulkImportEntity),
  read: (db, { caller, params: filter, page }) => listEntities(db, { userId: caller.user.id }, filter, page),
});

export const getBulkImport = endpoint({
  get: '/bulk_imports/:import_id',
  summary: 'Get an import',
  description: 'Returns an import that the caller started; imports of other users give 404.',
  access: ownImportAccess,
  response: ok(BulkImport),
  read: (_db, { bulkImport }) => bulkImport,
});

export const listBulkImportEntities = endpoint({
  get: '/bulk_imports/:import_id/entities',
  summary: 'List entities of an import',
  description:
    'Returns the groups and projects that the import copies, newest first by default. Entities for subgroups and projects are added while the import runs.',
  access: ownImportAccess,
  params: listParams,
  response: page(BulkImportEntity),
  read: (db, { bulkImport, params: filter, page }) => listEntities(db, { importId: bulkImport.id }, filter, page),
});

export const getBulkImportEntity = endpoint({
  get: '/bulk_imports/:import_id/entities/:entity_id',
  summary: 'Get an entity of an import',
  description:
    'Returns one group or project of the import with its status, its failures and the number of imported records. `destination_full_path` is null until the group or project exists.',
  access: ownEntityAccess,
  response: ok(BulkImportEntity),
  read: (_db, { bulkImportEntity }) => bulkImportEntity,
});

export const listBulkImportFailures = endpoint({
  get: '/bulk_imports/:import_id/entities/:entity_id/failures',
  summary: 'List failed import records of an entity',
  description:
    'Returns the records that could not be imported, oldest first, with the reason. Parts of messages that may be paths or URLs are replaced by `[FILTERED]`.',
  access: ownEntityAccess,
  response: page(BulkImportFailure),
  read: (db, { bulkImportEntity, page }) => listFailures(db, bulkImportEntity.id, page),
});

export const cancelBulkImport = endpoint({
  post: '/bulk_imports/:import_id/cancel',
  summary: 'Cancel an import and keep the imported data',
  description:
    'Sets the import and its entities to `canceled` in any state; repeated calls are allowed. Running work stops at the next record or page. Administrators may cancel imports of other users; everybody else gets 403 for them.',
  access: cancelImportAccess,
  response: ok(BulkImport),
  async write(uow, { bulkImport }): Promise<BulkImportRow> {
    await cancelImport(uow, bulkImport);
    return { ...bulkImport, status: 'canceled', updated_at: uow.now };
  },
});
