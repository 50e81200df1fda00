import { toReadableColor } from '../text/contrast.ts';

/** A label as lists of labels return it, or its title alone. */
export type LabelOrTitle = string | { readonly name: string; readonly color: string; readonly text_color: string };

export const getLabelTitle = (label: LabelOrTitle): string => (typeof label === 'string' ? label : label.name);

/** A label in its colour. With `href` it is a link, usually to the items that have the label. */
export function Label({ label, href }: { readonly label: LabelOrTitle; readonly href?: string | undefined }) {
  const style =
    typeof label === 'string'
      ? {}
      : { background: label.color, color: toReadableColor(label.color, label.text_color), borderColor: label.color };
  const title = getLabelTitle(label);
  return href === undefined ? (
    <span class="badge label" style={style}>
      {title}
    </span>
  ) : (
    <a class="badge label" style={style} href={href}>
      {title}
    </a>
  );
}
