import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import { CallError } from '../api/call.ts';
import { type PageLocation, usePageActions } from '../page.ts';

/** Forms that call the API. The input of the user is kept if the server rejects it or the session has ended. */

/** The messages of the last answer by attribute. */
const ErrorsContext = createContext<CallError['attributes']>({});

/**
 * A form whose `submit` calls the API. Afterwards the page reads its data again and the fields are emptied, unless `submit`
 * has opened another address. The error of the server appears above the button, and that of an attribute at its field.
 */
export function Form({
  label,
  submitLabel,
  submit,
  location,
  done,
  onCancel,
  children,
}: {
  /** The name of the form for screen readers. */
  readonly label: string;
  readonly submitLabel: string;
  readonly submit: (values: FormData) => Promise<unknown>;
  readonly location: PageLocation;
  /** The message after a success: `The label was created.` */
  readonly done?: string;
  readonly onCancel?: () => void;
  readonly children: ComponentChildren;
}) {
  const form = useRef<HTMLFormElement>(null);
  const { isBusy, error, run } = useAction();
  const onSubmit = (event: Event) => {
    event.preventDefault();
    const element = form.current!;
    void run(async () => {
      await submit(new FormData(element));
      if (element.isConnected) element.reset();
    }, done);
  };
  return (
    <form ref={form} class="form" aria-label={label} onSubmit={onSubmit}>
      <ErrorsContext.Provider value={error?.attributes ?? {}}>{children}</ErrorsContext.Provider>
      <ActionError error={error} location={location} />
      <p class="form-buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          {submitLabel}
        </button>{' '}
        {onCancel === undefined ? null : (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
      </p>
    </form>
  );
}

/** Returns a function that runs a write, then reads the page again; whether it is running, and the error of the last run. */
export function useAction(): {
  readonly isBusy: boolean;
  readonly error: CallError | null;
  readonly run: (write: () => Promise<unknown>, done?: string) => Promise<void>;
} {
  const { refetch, announce } = usePageActions();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  const run = async (write: () => Promise<unknown>, done = '') => {
    setBusy(true);
    setError(null);
    announce('');
    try {
      await write();
      await refetch();
      announce(done);
    } catch (failure) {
      if (!(failure instanceof CallError)) throw failure;
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, error, run };
}

/** The error of a write, which takes the focus; how to sign in again when the session has ended. */
export function ActionError({
  error,
  location,
}: {
  readonly error: CallError | null;
  readonly location: PageLocation;
}) {
  const element = useRef<HTMLParagraphElement>(null);
  useEffect(() => element.current?.focus(), [error]);
  if (error === null) return null;
  return (
    <p ref={element} class="note" role="alert" tabIndex={-1}>
      {error.status === 401 ? (
        <>
          Your session has ended.{' '}
          <a href={location.toUrl('/users/sign_in')} target="_blank" rel="noopener">
            Sign in in another tab
          </a>{' '}
          and try again.
        </>
      ) : (
        describeError(error)
      )}
    </p>
  );
}

const describeError = ({ status, message }: CallError): string =>
  status === 0 ? 'The server does not respond. Try again.' : message;

interface FieldProps {
  readonly label: string;
  /** The attribute of the API. */
  readonly name: string;
  readonly hint?: ComponentChildren;
}

interface InputProps {
  readonly type?: 'text' | 'search' | 'email' | 'url' | 'password' | 'number' | 'date' | 'color' | 'file';
  readonly defaultValue?: string | number | undefined;
  readonly defaultChecked?: boolean;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly maxLength?: number;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly placeholder?: string;
  readonly autocomplete?: string;
  readonly accept?: string;
  /** The id of a `datalist` with suggestions. */
  readonly list?: string;
}

/** A field of one line. The types of Preact allow each kind of input other attributes, so the attributes are not checked again. */
export function TextField({ label, name, hint, ...input }: FieldProps & InputProps) {
  const { id, description, errors } = useField(name, hint);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input {...({ type: 'text', ...input, ...description } as object)} id={id} name={name} />
      <FieldNotes id={id} hint={hint} errors={errors} />
    </div>
  );
}

type TextAreaProps = Pick<InputProps, 'defaultValue' | 'required' | 'maxLength' | 'placeholder'> & {
  readonly rows?: number;
};

/** A field of several lines. */
export function TextArea({ label, name, hint, ...area }: FieldProps & TextAreaProps) {
  const { id, description, errors } = useField(name, hint);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea {...({ rows: 8, ...area, ...description } as object)} id={id} name={name} />
      <FieldNotes id={id} hint={hint} errors={errors} />
    </div>
  );
}

/** A choice of one of several values. */
export function SelectField({
  label,
  name,
  hint,
  value,
  options,
}: FieldProps & {
  readonly value?: string | number | undefined;
  /** Values and their labels. */
  readonly options: readonly (readonly [value: string | number, label: string])[];
}) {
  const { id, description, errors } = useField(name, hint);
  const select = useDefaultOption(value);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select ref={select} id={id} name={name} {...description}>
        {options.map(([option, text]) => (
          // A form that is emptied chooses the default. The types of Preact lack this property.
          <option key={option} value={option} {...({ defaultSelected: option === value } as object)}>
            {text}
          </option>
        ))}
      </select>
      <FieldNotes id={id} hint={hint} errors={errors} />
    </div>
  );
}

/** A choice between yes and no; `FormData` has the name only if it is checked. */
export function CheckField({ label, name, hint, ...input }: FieldProps & InputProps) {
  const { id, description, errors } = useField(name, hint);
  return (
    <div class="field">
      <label>
        <input {...({ ...input, ...description } as object)} id={id} name={name} type="checkbox" value="true" /> {label}
      </label>
      <FieldNotes id={id} hint={hint} errors={errors} />
    </div>
  );
}

/**
 * Returns the ref of a `select` that returns to this value when its form is reset. Otherwise it would return to its first option,
 * because Preact chooses an option without making it the default.
 */
export function useDefaultOption(value: string | number | undefined) {
  const select = useRef<HTMLSelectElement>(null);
  useEffect(() => {
    if (value === undefined) return;
    for (const option of select.current?.options ?? []) option.defaultSelected = option.value === String(value);
  }, [value]);
  return select;
}

function useField(name: string, hint: ComponentChildren) {
  const id = useId();
  const errors = useContext(ErrorsContext)[name] ?? [];
  const hasNotes = errors.length > 0 || hint !== undefined;
  const description = {
    'aria-invalid': errors.length > 0 ? true : undefined,
    'aria-describedby': hasNotes ? `${id}-notes` : undefined,
  };
  return { id, description, errors };
}

function FieldNotes({
  id,
  hint,
  errors,
}: {
  readonly id: string;
  readonly hint: ComponentChildren;
  readonly errors: readonly string[];
}) {
  if (errors.length === 0 && hint === undefined) return null;
  return (
    <p id={`${id}-notes`} class="quiet field-notes">
      {errors.length === 0 ? null : <span class="wrong">{errors.join(', ')} </span>}
      {hint}
    </p>
  );
}

/** Returns the text of a field; an empty text if the form has no such field. */
export function readText(values: FormData, name: string): string {
  const value = values.get(name);
  return typeof value === 'string' ? value : '';
}
