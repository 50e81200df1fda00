import { toPath } from '../../addresses.ts';
import type { ResultOf } from '../../api/call.ts';
import { queryAtRef } from '../../api/ref-path.ts';
import { Code } from '../../components/code.tsx';
import { EditFileLink } from '../../components/file-actions.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { PathRefSwitcher } from '../../components/ref-switcher.tsx';
import { PathLinks } from '../../components/tree.tsx';
import { page } from '../../page.ts';
import { toFilePath } from '../../text/content-links.ts';
import {
  decodeText,
  formatBytes,
  isImageFile,
  isMarkdownFile,
  MAX_SHOWN_BYTES,
  splitLines,
} from '../../text/file-content.ts';

type RepositoryFile = ResultOf<'GET /projects/:id/repository/files/:file_path'>;

/** A file at a branch, tag or commit: formatted Markdown, an image, or text with a link for each line. */
export const file = page('file', {
  queries: ({ values: { project: id = '', ref_file = '' } }) => ({
    ...projectQueries(id),
    file: queryAtRef(id, ref_file, (client, { ref, path }) =>
      client.call('GET /projects/:id/repository/files/:file_path', { id, file_path: path, ref }),
    ),
  }),
  title: ({ file }) => file.value.result.file_name,
  navigation: (props) => <ProjectNavigation {...props} current="project" />,
  render: ({
    project: { value: project },
    abilities,
    file: { value: file },
    location,
    location: { search, toUrl },
  }) => {
    const values = { project: project.path_with_namespace, ref_file: `${file.ref}/${file.path}` };
    const rawUrl = toUrl(toFilePath('raw', values.project, values.ref_file));
    const isSource = search.get('plain') === '1';
    return (
      <>
        <PathLinks project={project.path_with_namespace} refPath={file} location={location} />
        <p class="file-links">
          <PathRefSwitcher
            page="file"
            project={values.project}
            refName={file.ref}
            path={file.path}
            location={location}
          />
          <span class="quiet">{formatBytes(file.result.size)}</span>
          {isMarkdownFile(file.path) ? (
            <a href={toUrl(`${toPath('file', values)}${isSource ? '' : '?plain=1'}`)}>
              {isSource ? 'Formatted' : 'Source'}
            </a>
          ) : null}
          {isImageFile(file.path) ? null : <a href={toUrl(toPath('blame', values))}>Blame</a>}
          <a href={rawUrl}>Raw</a>
          <a href={`${rawUrl}?inline=false`}>Download</a>
          <EditFileLink project={values.project} refPath={values.ref_file} abilities={abilities} location={location} />
        </p>
        <Content file={file.result} refName={file.ref} project={values.project} rawUrl={rawUrl} isSource={isSource} />
      </>
    );
  },
});

function Content({
  file: { size, content, file_name, file_path },
  refName,
  project,
  rawUrl,
  isSource,
}: {
  readonly file: RepositoryFile;
  readonly refName: string;
  readonly project: string;
  readonly rawUrl: string;
  /** Whether the source of the Markdown is shown. */
  readonly isSource: boolean;
}) {
  if (isImageFile(file_name)) return <img class="file-image" src={rawUrl} alt={file_name} />;
  if (size > MAX_SHOWN_BYTES) return <p class="quiet">This file is too large to be shown here.</p>;
  const text = decodeText(content);
  if (text === null) return <p class="quiet">This file is not text.</p>;
  if (text === '') return <p class="quiet">This file is empty.</p>;
  if (isMarkdownFile(file_name) && !isSource)
    return <Markdown text={text} project={project} file={{ ref: refName, path: file_path }} />;
  return <Code lines={splitLines(text)} fileName={file_name} />;
}
