import { buildRequest, type ResultOf } from '../../api/call.ts';
import { type AtRef, queryAtRef } from '../../api/ref-path.ts';
import { ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { PathLinks } from '../../components/tree.tsx';
import { page } from '../../page.ts';
import { decodeLines, formatBytes, MAX_SHOWN_BYTES } from '../../text/file-content.ts';

type RepositoryFile = ResultOf<'GET /projects/:id/repository/files/:file_path'>;

/** A file at a branch, tag or commit, with a link for each line. */
export const file = page('file', {
  queries: ({ values: { project: id = '', ref_file = '' } }) => ({
    ...projectQueries(id),
    file: queryAtRef(id, ref_file, (client, { ref, path }) =>
      client.call('GET /projects/:id/repository/files/:file_path', { id, file_path: path, ref }),
    ),
  }),
  title: ({ file }) => file.value.result.file_name,
  navigation: (props) => <ProjectNavigation {...props} current="project" />,
  render: ({ project: { value: project }, file: { value: file }, location, location: { toUrl } }) => {
    const { url } = buildRequest('GET /projects/:id/repository/files/:file_path/raw', {
      id: project.id,
      file_path: file.path,
      ref: file.ref,
    });
    return (
      <>
        <PathLinks project={project.path_with_namespace} refPath={file} location={location} />
        <p class="quiet">
          {formatBytes(file.result.size)} · <a href={toUrl(url)}>Raw</a>
        </p>
        <Content file={file} />
      </>
    );
  },
});

function Content({ file: { result } }: { readonly file: AtRef<RepositoryFile> }) {
  if (result.size > MAX_SHOWN_BYTES) return <p class="quiet">This file is too large to be shown here.</p>;
  const lines = decodeLines(result.content);
  if (lines === null) return <p class="quiet">This file is not text.</p>;
  if (lines.length === 0) return <p class="quiet">This file is empty.</p>;
  return (
    <div class="code">
      {/* One element for the numbers and one for the text: a file of 10,000 lines stays small. */}
      <pre class="line-numbers">
        {lines.map((_line, index) => (
          <a key={index} id={`L${index + 1}`} href={`#L${index + 1}`} aria-label={`Line ${index + 1}`}>
            {index + 1}
            {'\n'}
          </a>
        ))}
      </pre>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll sideways, also by keyboard */}
      <section class="lines" tabIndex={0} aria-label="Content of the file">
        <pre>{lines.join('\n')}</pre>
      </section>
    </div>
  );
}
