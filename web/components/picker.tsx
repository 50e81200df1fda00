import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { CallError } from '../api/call.ts';

/** A value that a picker offers. */
export interface PickerOption {
  readonly value: string;
  /** The label of the value in the summary of the picker. */
  readonly text: string;
  readonly content?: ComponentChildren;
}

/** The wait after a key before the search starts. */
const SEARCH_DELAY_MS = 200;

/**
 * A field of a form whose values are found by a search. Its value is one text: the values separated by commas, as the API takes
 * them. The inputs of the search belong to no form, so they are not sent with it.
 */
export function Picker({
  label,
  name,
  isMultiple,
  empty,
  fixed = [],
  selected: initial,
  search,
}: {
  readonly label: string;
  readonly name: string;
  readonly isMultiple: boolean;
  /** The summary without a value: `none`. */
  readonly empty: string;
  /** Values that are always offered. */
  readonly fixed?: readonly PickerOption[];
  readonly selected: readonly PickerOption[];
  readonly search: (text: string) => Promise<readonly PickerOption[]>;
}) {
  const id = useId();
  const [selected, setSelected] = useState(initial);
  const [text, setText] = useState<string | null>(null);
  const { found, error } = useSearch(text, search);
  const values = selected.map(({ value }) => value);
  const offered = [...selected, ...fixed, ...found].filter(
    ({ value }, index, all) => all.findIndex((option) => option.value === value) === index,
  );
  const toggle = (option: PickerOption) => {
    const others = selected.filter(({ value }) => value !== option.value);
    if (others.length < selected.length) setSelected(others);
    else setSelected(isMultiple ? [...selected, option] : [option]);
  };
  return (
    <div class="field picker">
      <input type="hidden" name={name} value={values.join(',')} />
      <details onToggle={(event) => text === null && event.currentTarget.open && setText('')}>
        <summary>
          {label}: {selected.length === 0 ? empty : selected.map((option) => option.text).join(', ')}
        </summary>
        <fieldset>
          <legend class="hidden">{label}</legend>
          <input
            type="search"
            form=""
            aria-label={`Search in ${label.toLowerCase()}`}
            placeholder="Search"
            value={text ?? ''}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          />
          <ul class="options">
            {isMultiple ? null : (
              <li>
                <label>
                  <input
                    type="radio"
                    form=""
                    name={id}
                    checked={values.length === 0}
                    onChange={() => setSelected([])}
                  />{' '}
                  {empty}
                </label>
              </li>
            )}
            {offered.map((option) => (
              <li key={option.value}>
                <label>
                  <input
                    type={isMultiple ? 'checkbox' : 'radio'}
                    form=""
                    name={id}
                    checked={values.includes(option.value)}
                    onChange={() => toggle(option)}
                  />{' '}
                  {option.content ?? option.text}
                </label>
              </li>
            ))}
          </ul>
          {error === null ? null : <p class="wrong">{error}</p>}
        </fieldset>
      </details>
    </div>
  );
}

/** Returns the results of a search, and keeps them until the next search has finished. Null: no search was started. */
function useSearch(text: string | null, search: (text: string) => Promise<readonly PickerOption[]>) {
  const [found, setFound] = useState<readonly PickerOption[]>([]);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    if (text === null) return;
    let isCurrent = true;
    const timer = setTimeout(
      () =>
        search(text).then(
          (options) => {
            if (!isCurrent) return;
            setFound(options);
            setError(null);
          },
          (failure: unknown) => isCurrent && setError(failure instanceof CallError ? failure.message : String(failure)),
        ),
      text === '' ? 0 : SEARCH_DELAY_MS,
    );
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
    // A new function of the same component searches the same.
  }, [text]);
  return { found, error };
}
