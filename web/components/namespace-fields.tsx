import { useState } from 'preact/hooks';
import { readText, SelectField, TextField } from './form.tsx';

/** The fields that groups and projects share. */

const VISIBILITIES = [
  ['private', 'Private: only members'],
  ['internal', 'Internal: everybody who is signed in'],
  ['public', 'Public: everybody'],
] as const;

type Visibility = (typeof VISIBILITIES)[number][0];

/** The field for the visibility of a group or project. */
export function VisibilityField({ value = 'private' }: { readonly value?: string | undefined }) {
  return <SelectField label="Visibility" name="visibility" value={value} options={VISIBILITIES} />;
}

/** Returns the visibility that a form contains. */
export function readVisibility(values: FormData): Visibility {
  const value = readText(values, 'visibility');
  return VISIBILITIES.find(([name]) => name === value)?.[0] ?? 'private';
}

/** The name, and the path of the address, which follows the name until the user changes it. */
export function NameAndPathFields() {
  const [suggestion, setSuggestion] = useState('');
  // A changed default value does not replace the input of the user.
  return (
    <>
      <div onInput={(event) => event.target instanceof HTMLInputElement && setSuggestion(toSlug(event.target.value))}>
        <TextField label="Name" name="name" required maxLength={255} autocomplete="off" />
      </div>
      <TextField
        label="Path"
        name="path"
        hint="The last part of the address."
        defaultValue={suggestion}
        required
        maxLength={255}
        autocomplete="off"
      />
    </>
  );
}

/** Returns the path that a name suggests: `My first project` becomes `my-first-project`. */
function toSlug(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, '-')
    .replace(/^[-_.]+|[-_.]+$/g, '')
    .slice(0, 255);
}
