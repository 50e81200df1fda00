/** Keyboard shortcuts. Users can switch them off, because speech input may trigger single keys (WCAG 2.1.4). */

export interface Shortcut {
  /** One key, or two in sequence: `g h`. */
  readonly keys: string;
  readonly label: string;
  readonly run: () => void;
}

const STORAGE_KEY = 'hearth.shortcuts';
/** The time within which the second key of a sequence must follow. */
const SEQUENCE_MS = 1500;

export function areShortcutsOn(storage: Pick<Storage, 'getItem'>): boolean {
  return storage.getItem(STORAGE_KEY) !== 'off';
}

export function setShortcutsOn(storage: Pick<Storage, 'setItem'>, on: boolean): void {
  storage.setItem(STORAGE_KEY, on ? 'on' : 'off');
}

/** The properties of a key event that decide about shortcuts. */
export interface KeyPress {
  readonly key: string;
  /** Whether Control, Alt or Meta is down. */
  readonly hasModifier: boolean;
  /** Whether the focus is where people write. */
  readonly isWriting: boolean;
  readonly time: number;
}

/** Returns a function that returns the shortcut of a key press, or null. It remembers the first key of sequences. */
export function createShortcutFinder(): (shortcuts: readonly Shortcut[], press: KeyPress) => Shortcut | null {
  let prefix = { key: '', time: 0 };
  return (shortcuts, { key, hasModifier, isWriting, time }) => {
    if (hasModifier || isWriting) return null;
    const keys = time - prefix.time < SEQUENCE_MS && prefix.key !== '' ? `${prefix.key} ${key}` : key;
    const foundShortcut = shortcuts.find((shortcut) => shortcut.keys === keys) ?? null;
    const startsSequence = foundShortcut === null && shortcuts.some((shortcut) => shortcut.keys.startsWith(`${key} `));
    prefix = { key: startsSequence ? key : '', time };
    return foundShortcut;
  };
}
