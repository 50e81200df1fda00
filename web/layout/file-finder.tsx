import { useEffect, useMemo, useState } from 'preact/hooks';
import { toPath } from '../addresses.ts';
import { CallError, type Client } from '../api/call.ts';
import { queryAtRef } from '../api/ref-path.ts';
import type { PageLocation } from '../page.ts';
import { findPaths } from '../text/file-search.ts';
import { Chooser } from './chooser.tsx';

/** The number of files that the finder shows. */
const MAX_RESULTS = 20;

interface Files {
  readonly ref: string;
  readonly paths: readonly string[];
}

/** Finds files of a project by name, at the ref of the page or else at the default branch. */
export function FileFinder({
  client,
  location,
  onOpen,
  onClose,
}: {
  readonly client: Client;
  readonly location: PageLocation;
  readonly onOpen: (url: string) => void;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState('');
  const [files, setFiles] = useState<Files | null>(null);
  const [problem, setProblem] = useState('Loading');
  useEffect(() => {
    loadFiles(client, location).then(setFiles, (error: unknown) =>
      setProblem(error instanceof CallError ? error.message : String(error)),
    );
  }, [client, location]);
  const entries = useMemo(() => {
    if (files === null) return [];
    const { project = '' } = location.values;
    return findPaths(files.paths, text, MAX_RESULTS).map((path) => ({
      label: path,
      detail: '',
      target: location.toUrl(toPath('file', { project, ref_file: `${files.ref}/${path}` })),
    }));
  }, [files, text, location]);
  return (
    <Chooser
      label="Find a file"
      text={text}
      onText={setText}
      entries={entries}
      empty={files === null ? problem : 'No file has this name.'}
      onOpen={onOpen}
      onClose={onClose}
    />
  );
}

async function loadFiles(client: Client, { values }: PageLocation): Promise<Files> {
  const { project: id = '' } = values;
  const refPath = values.ref_path ?? values.ref_file ?? values.ref ?? (await findDefaultBranch(client, id));
  const { value } = await queryAtRef(id, refPath, (_client, { ref }) =>
    client.call('GET /projects/:id/repository/tree', { id, ref, recursive: true, pagination: 'none' }),
  ).load(client);
  return { ref: value.ref, paths: value.result.flatMap(({ type, path }) => (type === 'blob' ? [path] : [])) };
}

async function findDefaultBranch(client: Client, id: string): Promise<string> {
  const { value } = await client.call('GET /projects/:id', { id });
  return value.default_branch || 'HEAD';
}
