import { useEffect, useState } from 'preact/hooks';
import { type AddressValues, toPath } from '../addresses.ts';
import { CallError, type Client } from '../api/call.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { Dialog } from './dialog.tsx';

/** The number of branches, and of tags, that the switcher shows; others are found by their names. */
const MAX_REFS = 20;

/** The wait after the last key press before refs are searched. */
const SEARCH_DELAY_MS = 150;

interface RefNames {
  readonly branches: readonly string[];
  readonly tags: readonly string[];
}

/** A button that opens the list of branches and tags; each leads to the same page at that ref. */
export function RefSwitcher({
  project,
  refName,
  toPagePath,
  location,
}: {
  readonly project: string;
  /** The ref of the page. */
  readonly refName: string;
  /** Returns the path of the page at another ref. */
  readonly toPagePath: (ref: string) => string;
  readonly location: PageLocation;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="ref-button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <span class="quiet">At</span> {refName} <span aria-hidden="true">▾</span>
      </button>
      {isOpen ? (
        <Dialog label="Switch branch or tag" onClose={() => setOpen(false)}>
          <h2>Switch branch or tag</h2>
          <RefSearch
            project={project}
            refName={refName}
            toUrl={(ref) => location.toUrl(toPagePath(ref))}
            onOpen={() => setOpen(false)}
          />
          <p>
            <button type="button" onClick={() => setOpen(false)}>
              Close
            </button>
          </p>
        </Dialog>
      ) : null}
    </>
  );
}

function RefSearch({
  project,
  refName,
  toUrl,
  onOpen,
}: {
  readonly project: string;
  readonly refName: string;
  readonly toUrl: (ref: string) => string;
  readonly onOpen: () => void;
}) {
  const { client } = usePageActions();
  const [text, setText] = useState('');
  const [refs, setRefs] = useState<RefNames | null>(null);
  const [problem, setProblem] = useState('Loading');
  useEffect(() => {
    let isCurrent = true;
    const show = (found: RefNames) => isCurrent && setRefs(found);
    const showError = (error: unknown) => {
      if (!isCurrent) return;
      setRefs(null);
      setProblem(error instanceof CallError ? error.message : String(error));
    };
    const search = () => findRefs(client, project, text).then(show, showError);
    const timer = setTimeout(search, text === '' ? 0 : SEARCH_DELAY_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [client, project, text]);
  return (
    <>
      <input
        type="text"
        aria-label="Search branches and tags"
        placeholder="Search"
        autocomplete="off"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {refs === null ? (
        <p class="quiet" role="status">
          {problem}
        </p>
      ) : (
        <>
          <RefLinks title="Branches" names={refs.branches} current={refName} toUrl={toUrl} onOpen={onOpen} />
          <RefLinks title="Tags" names={refs.tags} current={refName} toUrl={toUrl} onOpen={onOpen} />
        </>
      )}
    </>
  );
}

async function findRefs(client: Client, id: string, text: string): Promise<RefNames> {
  const search = { id, per_page: MAX_REFS, ...(text.trim() === '' ? {} : { search: text.trim() }) };
  const [branches, tags] = await Promise.all([
    client.call('GET /projects/:id/repository/branches', { ...search, sort: 'updated_desc' }),
    client.call('GET /projects/:id/repository/tags', search),
  ]);
  return { branches: branches.value.map(({ name }) => name), tags: tags.value.map(({ name }) => name) };
}

function RefLinks({
  title,
  names,
  current,
  toUrl,
  onOpen,
}: {
  readonly title: string;
  readonly names: readonly string[];
  readonly current: string;
  readonly toUrl: (ref: string) => string;
  /** Closes the list: the page at the ref may be the same component. */
  readonly onOpen: () => void;
}) {
  return (
    <>
      <h3>{title}</h3>
      {names.length === 0 ? <p class="quiet">None</p> : null}
      <ul class="ref-links">
        {names.map((name) => (
          <li key={name}>
            <a href={toUrl(name)} onClick={onOpen} aria-current={name === current ? 'true' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The switcher of a page of a directory or file. */
export function PathRefSwitcher({
  page,
  project,
  refName,
  path,
  location,
}: {
  readonly page: 'tree' | 'file';
  readonly project: string;
  readonly refName: string;
  /** Empty for the root. */
  readonly path: string;
  readonly location: PageLocation;
}) {
  const toPagePath = (ref: string) => {
    const refPath = path === '' ? ref : `${ref}/${path}`;
    const values: AddressValues = { project, ref_path: refPath, ref_file: refPath };
    return toPath(page, values);
  };
  return <RefSwitcher project={project} refName={refName} toPagePath={toPagePath} location={location} />;
}
