import { useEffect, useState } from 'preact/hooks';
import { toPath } from '../addresses.ts';
import type { Client } from '../api/call.ts';
import { Dialog } from '../components/dialog.tsx';
import type { PageLocation } from '../page.ts';
import { Chooser, type Entry } from './chooser.tsx';
import type { Shortcut } from './shortcuts.ts';

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
  return (
    <Chooser
      label="Search or go to"
      text={text}
      onText={setText}
      entries={entries}
      empty="Nothing has this name."
      onOpen={onOpen}
      onClose={onClose}
    />
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
    { keys: 'g t', label: 'Go to your to-do list', run: () => open(toUrl(toPath('todos'))) },
    { keys: 'g e', label: 'Explore projects', run: () => open(toUrl(toPath('explore'))) },
  ];
}
