import { useId } from 'preact/hooks';

/** The text of a file, in a font of fixed width. Spelling is not checked: it would be sent to services of some browsers. */
export function FileText({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Content</label>
      <textarea
        id={id}
        class="file-text"
        rows={24}
        wrap="off"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}
