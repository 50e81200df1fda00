import { Type } from 'typebox';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { isAdministrator } from '#authentication/caller.ts';
import { VISIBILITIES } from '#authorization/visibility-levels.ts';
import { SNIPPET_BRANCH } from '#domain/snippets.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import { encodeUrlPath } from '#repositories/repository.ts';
import type { Snippet as Row } from './store.ts';

/** Entities of snippets (contract/operations.md §2.1). */

const identityFields = {
  id: Type.Integer(),
  title: Type.String(),
  description: nullable(Type.String()),
  visibility: Type.Enum([...VISIBILITIES]),
  author: UserBasic.schema,
  created_at: dateTime,
  updated_at: dateTime,
  project_id: Type.Null(),
  web_url: Type.String(),
  raw_url: Type.String(),
  ssh_url_to_repo: Type.String(),
  http_url_to_repo: Type.String(),
};

const loadAuthors = (rows: readonly Row[], { db }: SerializationContext) =>
  loadUsersById(
    db,
    rows.map(({ author_id }) => author_id),
  );
type Authors = Awaited<ReturnType<typeof loadAuthors>>;

/** Short form, nested in other entities. */
export const SnippetIdentity = entity('SnippetIdentity', identityFields).from(loadAuthors, identityValues);

const File = entity('SnippetFile', { path: Type.String(), raw_url: Type.String() });

export const Snippet = entity('Snippet', {
  ...identityFields,
  file_name: Type.String(),
  files: Type.Array(File.schema),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  /** Administrators only. */
  repository_storage: Type.Optional(Type.String()),
}).from(loadAuthors, (row, context, authors) => {
  const paths = parseFilePaths(row);
  return {
    ...identityValues(row, context, authors),
    file_name: paths[0] as string,
    files: paths.map((path) => ({
      path,
      raw_url: `${webUrl(row, context)}/raw/${SNIPPET_BRANCH}/${encodeUrlPath(path)}`,
    })),
    imported: false,
    imported_from: 'none',
    ...(isAdministrator(context.caller) ? { repository_storage: row.storage } : {}),
  };
});

function identityValues(row: Row, context: SerializationContext, authors: Authors) {
  const { hostname } = new URL(context.url);
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    visibility: row.visibility,
    author: UserBasic.serialize(authors.get(row.author_id)!, context),
    created_at: row.created_at,
    updated_at: row.updated_at,
    project_id: null,
    web_url: webUrl(row, context),
    raw_url: `${webUrl(row, context)}/raw`,
    ssh_url_to_repo: `git@${hostname}:snippets/${row.id}.git`,
    http_url_to_repo: `${context.url}/snippets/${row.id}.git`,
  };
}

const webUrl = ({ id }: Row, { url }: SerializationContext) => `${url}/-/snippets/${id}`;

/** Returns the paths of the snippet's files; at least one. */
export function parseFilePaths({ files }: Pick<Row, 'files'>): readonly string[] {
  return JSON.parse(files) as string[];
}
