import { useState } from 'preact/hooks';
import { readText } from './form.tsx';

/** Fields for any number of variables: `key.0`, `value.0` and so on. */
export function VariableFields({ hasTypes = true }: { readonly hasTypes?: boolean }) {
  const [rows, setRows] = useState<readonly number[]>([0]);
  return (
    <fieldset class="variables">
      <legend>Variables</legend>
      {rows.map((row, index) => (
        <p key={row} class="variable">
          <input name={`key.${row}`} aria-label={`Key ${index + 1}`} placeholder="Key" maxLength={255} size={16} />{' '}
          <textarea name={`value.${row}`} aria-label={`Value ${index + 1}`} placeholder="Value" rows={1} />{' '}
          {hasTypes ? (
            <select name={`type.${row}`} aria-label={`Type ${index + 1}`}>
              <option value="env_var">Variable</option>
              <option value="file">File</option>
            </select>
          ) : null}{' '}
          <button
            type="button"
            aria-label={`Remove variable ${index + 1}`}
            onClick={() => setRows(rows.filter((other) => other !== row))}
          >
            ✕
          </button>
        </p>
      ))}
      <button type="button" onClick={() => setRows([...rows, (rows.at(-1) ?? -1) + 1])}>
        Add a variable
      </button>
    </fieldset>
  );
}

/** Returns the variables of `VariableFields`; rows without a key are left out. */
export function readVariables(
  values: FormData,
): { readonly key: string; readonly value: string; readonly variable_type: 'env_var' | 'file' }[] {
  return [...values.keys()]
    .filter((name) => name.startsWith('key.') && readText(values, name).trim() !== '')
    .map((name) => {
      const row = name.slice('key.'.length);
      return {
        key: readText(values, name).trim(),
        value: readText(values, `value.${row}`),
        variable_type: readText(values, `type.${row}`) === 'file' ? 'file' : 'env_var',
      };
    });
}
