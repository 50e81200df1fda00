import { useEffect, useState } from 'preact/hooks';
import { toPath } from '../addresses.ts';
import type { Client } from '../api/call.ts';
import { Dialog } from '../components/dialog.tsx';
import type { PageLocation } from '../page.ts';
import type { Shortcut } from './shortcuts.ts';

interface Entry {
  readonly label: string;
  readonly detail: string;
  /** Where the entry leads, or what it does. */
  readonly target: string | (() => void);
}

/** The wait after the last key press before projects are searched. */
const SEARCH_DELAY_MS = 150;

/** Finds pages, actions and projects by name. Arrow keys choose, Enter opens. */
export function CommandPalette({
  client,
  location,
  shortcuts,
  onOpen,
  onClose,
}: {
  readonly client: Client;
  readonly location: PageLocation;
  readonly shortcuts: readonly Shortcut[];
  readonly onOpen: (url: string) => void;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState('');
  const [projects, setProjects] = useState<readonly Entry[]>([]);
  const [selected, setSelected] = useState(0);
  useEffect(() => {
    if (text.trim() === '') return setProjects([]);
    const timer = setTimeout(() => {
      findProjects(client, location, text).then(setProjects, () => setProjects([]));
    }, SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [text, client, location]);
  const actions = shortcuts.map(({ keys, label, run }): Entry => ({ label, detail: keys, target: run }));
  const entries = [
    ...actions.filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase())),
    ...projects,
  ];
  const open = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    if (typeof entry.target === 'string') onOpen(entry.target);
    else entry.target();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setSelected((index) => Math.max(0, Math.min(entries.length - 1, index + step)));
    }
  };
  const submit = (event: Event) => {
    event.preventDefault();
    open(entries[selected]);
  };
  return (
    <Dialog label="Search or go to" onClose={onClose}>
      <form onSubmit={submit}>
        <input
          type="text"
          // biome-ignore lint/a11y/noRedundantRoles: only an input with a list has this role by itself
          role="combobox"
          list={undefined}
          aria-label="Search or go to"
          aria-expanded="true"
          aria-controls="palette-entries"
          aria-activedescendant={entries.length === 0 ? undefined : `palette-${selected}`}
          autocomplete="off"
          value={text}
          onKeyDown={onKeyDown}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setSelected(0);
          }}
        />
      </form>
      <div id="palette-entries" role="listbox" aria-label="Results">
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox handles keys
          <div
            key={`${entry.label} ${entry.detail}`}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === selected}
            class="palette-entry"
            onClick={() => open(entry)}
          >
            {entry.label} <span class="quiet">{entry.detail}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 ? <p class="quiet">Nothing has this name.</p> : null}
    </Dialog>
  );
}

async function findProjects(client: Client, { toUrl }: PageLocation, text: string): Promise<readonly Entry[]> {
  const { value } = await client.call('GET /projects', { search: text.trim(), per_page: 10, simple: true });
  return value.map(({ name_with_namespace: label, path_with_namespace: path }) => ({
    label,
    detail: path,
    target: toUrl(`/${path}`),
  }));
}

/** The list of all keyboard shortcuts. */
export function ShortcutHelp({
  shortcuts,
  areOn,
  onToggle,
  onClose,
}: {
  readonly shortcuts: readonly Shortcut[];
  readonly areOn: boolean;
  readonly onToggle: () => void;
  readonly onClose: () => void;
}) {
  return (
    <Dialog label="Keyboard shortcuts" onClose={onClose}>
      <h2>Keyboard shortcuts</h2>
      <table>
        <tbody>
          {shortcuts.map(({ keys, label }) => (
            <tr key={keys}>
              <th scope="row">{label}</th>
              <td>
                <kbd>{keys}</kbd>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <label>
        <input type="checkbox" checked={areOn} onChange={onToggle} /> Use keyboard shortcuts
      </label>
      <p>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </p>
    </Dialog>
  );
}

/** The shortcuts that lead to pages. */
export function listPageShortcuts({ toUrl }: PageLocation, open: (url: string) => void): readonly Shortcut[] {
  return [
    { keys: 'g h', label: 'Go to your work', run: () => open(toUrl(toPath('home'))) },
    { keys: 'g e', label: 'Explore projects', run: () => open(toUrl(toPath('explore'))) },
  ];
}
