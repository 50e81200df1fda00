import { toPath } from '../../addresses.ts';
import { CallError, type Loaded } from '../../api/call.ts';
import { type Query, query } from '../../api/query.ts';
import { ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { MAX_TREE_ENTRIES, Tree, type TreeEntries } from '../../components/tree.tsx';
import { page } from '../../page.ts';

/** A project: its description, how to clone it, and the files of its default branch. */
export const project = page('project', {
  queries: ({ values: { project: id = '' } }) => ({
    ...projectQueries(id),
    entries: emptyIfMissing(query('GET /projects/:id/repository/tree', { id, per_page: MAX_TREE_ENTRIES })),
  }),
  title: ({ project }) => project.value.name,
  navigation: (props) => <ProjectNavigation {...props} current="project" />,
  render: ({ project: { value: project }, entries, location, location: { toUrl } }) => (
    <>
      {project.description ? <p>{project.description}</p> : null}
      <p class="clone">
        <code>git clone {project.http_url_to_repo}</code>
      </p>
      {entries.value.length === 0 ? (
        <EmptyRepository url={project.http_url_to_repo} />
      ) : (
        <>
          <Tree
            entries={entries.value}
            project={project.path_with_namespace}
            refName={project.default_branch ?? ''}
            location={location}
          />
          {entries.nextPage === null ? null : (
            <p class="quiet">
              The first {MAX_TREE_ENTRIES} entries.{' '}
              <a
                href={toUrl(
                  toPath('tree', { project: project.path_with_namespace, ref_path: project.default_branch ?? '' }),
                )}
              >
                Show all
              </a>
            </p>
          )}
        </>
      )}
    </>
  ),
});

/** Returns the query of a tree, which is empty for a repository without commits and for callers who may not read it. */
function emptyIfMissing(entries: Query<TreeEntries>): Query<TreeEntries> {
  return {
    ...entries,
    load: (client) =>
      entries.load(client).catch((error: unknown): Loaded<TreeEntries> => {
        if (error instanceof CallError && (error.status === 404 || error.status === 403))
          return { value: [], total: 0, nextPage: null, etag: null };
        throw error;
      }),
  };
}

function EmptyRepository({ url }: { readonly url: string }) {
  return (
    <div class="empty">
      <p class="empty-title">No files</p>
      <p class="quiet">The files of the default branch appear here. Push a repository:</p>
      <pre class="command">{`git remote add origin ${url}\ngit branch -M main\ngit push -u origin main`}</pre>
    </div>
  );
}
