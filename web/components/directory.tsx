import { toPath } from '../addresses.ts';
import { CallError, type Client, type Loaded } from '../api/call.ts';
import type { Query } from '../api/query.ts';
import { queryAtRef, type RefPath } from '../api/ref-path.ts';
import type { PageLocation } from '../page.ts';
import { decodeText, isMarkdownFile } from '../text/file-content.ts';
import { Markdown } from './markdown.tsx';
import { MAX_TREE_ENTRIES, type TreeEntries } from './tree.tsx';

/** The entries of a directory, and the text of the file that describes it. */
interface Directory {
  readonly entries: TreeEntries;
  /** Null without such a file. */
  readonly readme: { readonly name: string; readonly path: string; readonly text: string } | null;
}

/** Declares the read of a directory at the end of an address, `main/src`. */
export const directoryQueries = (id: string, refPath: string, page: number) => ({
  directory: queryAtRef(id, refPath, (client, at) => loadDirectory(client, { id, ...at, page })),
});

/** Declares the read of the root of the default branch, which is empty without commits and for callers who may not read it. */
export const rootDirectoryQueries = (id: string): { readonly directory: Query<Directory> } => ({
  directory: {
    refetchSeconds: null,
    load: (client) =>
      loadDirectory(client, { id }).catch((error: unknown): Loaded<Directory> => {
        if (error instanceof CallError && (error.status === 404 || error.status === 403))
          return { value: { entries: [], readme: null }, total: 0, nextPage: null, etag: null };
        throw error;
      }),
  },
});

/** Reads a page of the entries, and then the README, if it is among them. */
async function loadDirectory(
  client: Client,
  params: { readonly id: string; readonly page?: number } & Partial<RefPath>,
): Promise<Loaded<Directory>> {
  const entries = await client.call('GET /projects/:id/repository/tree', { ...params, per_page: MAX_TREE_ENTRIES });
  const { id, ref = 'HEAD' } = params;
  const readmeEntry = findReadme(entries.value);
  const text = readmeEntry === null ? null : await readText(client, { id, ref, file_path: readmeEntry.path });
  const readme =
    readmeEntry === null || text === null ? null : { name: readmeEntry.name, path: readmeEntry.path, text };
  return { ...entries, value: { entries: entries.value, readme }, etag: null };
}

/** Returns the README among entries: rather one in Markdown than another. */
function findReadme(entries: TreeEntries): TreeEntries[number] | null {
  const readmes = entries.filter(({ type, name }) => type === 'blob' && /^readme(?:\.\w{1,10})?$/i.test(name));
  return readmes.find(({ name }) => isMarkdownFile(name)) ?? readmes[0] ?? null;
}

/** Returns the text of a file; null for other content, and for a file that cannot be read: the entries are shown without it. */
async function readText(
  client: Client,
  params: { readonly id: string; readonly file_path: string; readonly ref: string },
): Promise<string | null> {
  try {
    const { value } = await client.call('GET /projects/:id/repository/files/:file_path', params);
    return decodeText(value.content);
  } catch (error) {
    if (error instanceof CallError) return null;
    throw error;
  }
}

/** The README of a directory, if it has one. */
export function Readme({
  readme,
  project,
  refName,
  location: { toUrl },
}: {
  readonly readme: Directory['readme'];
  /** The full path of the project. */
  readonly project: string;
  readonly refName: string;
  readonly location: PageLocation;
}) {
  if (readme === null) return null;
  const { name, path, text } = readme;
  return (
    <section class="readme" aria-label={name}>
      <p class="readme-name">
        <a href={toUrl(toPath('file', { project, ref_file: `${refName}/${path}` }))}>{name}</a>
      </p>
      {isMarkdownFile(name) ? (
        <Markdown text={text} project={project} file={{ ref: refName, path }} />
      ) : (
        <div class="plain-text">{text}</div>
      )}
    </section>
  );
}
