import { useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';

/** Something that a chooser offers. */
export interface Entry {
  readonly label: string;
  readonly detail: string;
  /** The target of the entry: a link, or a function. */
  readonly target: string | (() => void);
}

/** A dialog with a field and the entries that match it. Arrow keys choose, Enter opens. */
export function Chooser({
  label,
  text,
  onText,
  entries,
  empty,
  onOpen,
  onClose,
}: {
  readonly label: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly entries: readonly Entry[];
  /** The text that is shown if there are no entries. */
  readonly empty: string;
  readonly onOpen: (url: string) => void;
  readonly onClose: () => void;
}) {
  const [selected, setSelected] = useState(0);
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
    <Dialog label={label} onClose={onClose}>
      <form onSubmit={submit}>
        <input
          type="text"
          // biome-ignore lint/a11y/noRedundantRoles: only an input with a list has this role by itself
          role="combobox"
          list={undefined}
          aria-label={label}
          aria-expanded="true"
          aria-controls="palette-entries"
          aria-activedescendant={entries.length === 0 ? undefined : `palette-${selected}`}
          autocomplete="off"
          value={text}
          onKeyDown={onKeyDown}
          onInput={(event) => {
            onText(event.currentTarget.value);
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
            <bdi>{entry.label}</bdi> <span class="quiet">{entry.detail}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 ? <p class="quiet">{empty}</p> : null}
    </Dialog>
  );
}
