import { Type } from 'typebox';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { isAdministrator } from '#authentication/caller.ts';
import { VISIBILITIES } from '#authorization/visibility.ts';
import { parseFilePaths, type Snippet as Row } from '#domain/snippets.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import { encodeUrlPath } from '#repositories/repository.ts';
import { requireRow } from '#runtime/failure.ts';
import { loadProjectPaths } from './store.ts';

// Entities of snippets (contract/operations.md §2.1, contract/everyday-more.md §7.1).

const identityFields = {
  id: Type.Integer(),
  title: Type.String(),
  description: nullable(Type.String()),
  visibility: Type.Enum([...VISIBILITIES]),
  author: UserBasic.schema,
  created_at: dateTime,
  updated_at: dateTime,
  project_id: nullable(Type.Integer({ description: 'Null for a personal snippet.' })),
  web_url: Type.String(),
  raw_url: Type.String(),
  ssh_url_to_repo: Type.String(),
  http_url_to_repo: Type.String(),
};

async function loadRelations(rows: readonly Row[], { db }: SerializationContext) {
  const projectIds = [...new Set(rows.flatMap(({ project_id }) => project_id ?? []))];
  const [authors, paths] = await Promise.all([
    loadUsersById(
      db,
      rows.map(({ author_id }) => author_id),
    ),
    loadProjectPaths(db, projectIds),
  ]);
  return { authors, projectPaths: new Map(paths.map(({ id, full_path }) => [id, full_path])) };
}
type Relations = Awaited<ReturnType<typeof loadRelations>>;

/** A snippet inside other entities. */
export const SnippetIdentity = entity('SnippetIdentity', identityFields).from(loadRelations, toIdentityFields);

const File = entity('SnippetFile', { path: Type.String(), raw_url: Type.String() });

/** A snippet with the paths of its files. */
export const Snippet = entity('Snippet', {
  ...identityFields,
  file_name: Type.String({ description: 'Path of the first file.' }),
  files: Type.Array(File.schema),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  repository_storage: Type.Optional(Type.String({ description: 'Only for administrators.' })),
}).from(loadRelations, (row, context, relations) => {
  const paths = parseFilePaths(row);
  return {
    ...toIdentityFields(row, context, relations),
    file_name: paths[0] ?? '',
    files: paths.map((path) => ({
      path,
      raw_url: `${buildWebUrl(row, context, relations)}/raw/${encodeURIComponent(row.default_branch)}/${encodeUrlPath(path)}`,
    })),
    imported: false,
    imported_from: 'none',
    ...(isAdministrator(context.caller) ? { repository_storage: row.storage } : {}),
  };
});

function toIdentityFields(row: Row, context: SerializationContext, relations: Relations) {
  const { hostname } = new URL(context.url);
  const repositoryPath = `${getPathPrefix(row, relations)}snippets/${row.id}.git`;
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    visibility: row.visibility,
    author: UserBasic.serialize(requireRow(relations.authors.get(row.author_id)), context),
    created_at: row.created_at,
    updated_at: row.updated_at,
    project_id: row.project_id,
    web_url: buildWebUrl(row, context, relations),
    raw_url: `${buildWebUrl(row, context, relations)}/raw`,
    ssh_url_to_repo: `git@${hostname}:${repositoryPath}`,
    http_url_to_repo: `${context.url}/${repositoryPath}`,
  };
}

const buildWebUrl = (row: Row, { url }: SerializationContext, relations: Relations) =>
  `${url}/${getPathPrefix(row, relations)}-/snippets/${row.id}`;

/** Returns the path of the snippet's project with a trailing slash; empty for a personal snippet. */
const getPathPrefix = ({ project_id }: Row, { projectPaths }: Relations) =>
  project_id === null ? '' : `${requireRow(projectPaths.get(project_id))}/`;
