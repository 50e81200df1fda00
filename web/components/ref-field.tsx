import { useId } from 'preact/hooks';
import { TextField } from './form.tsx';

/** A field for a branch, tag or commit, with suggestions. */
export function RefField({
  names,
  ...field
}: {
  readonly label: string;
  readonly name: string;
  readonly defaultValue?: string | undefined;
  /** The names that are suggested. */
  readonly names: readonly string[];
}) {
  const id = useId();
  return (
    <>
      <TextField {...field} required list={id} autocomplete="off" />
      <datalist id={id}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
