/** Colours of text on coloured grounds. Colours are `#RRGGBB`. */

/** The contrast that WCAG 2.2 requires of text (success criterion 1.4.3). */
const MIN_CONTRAST = 4.5;

/** Returns the preferred colour of text if it can be read on the ground, else black or white. */
export function toReadableColor(ground: string, preferred: string): string {
  if (getContrast(ground, preferred) >= MIN_CONTRAST) return preferred;
  return getContrast(ground, '#000000') >= MIN_CONTRAST ? '#000000' : '#FFFFFF';
}

/** Returns the contrast ratio of two colours as WCAG 2.2 defines it, from 1 to 21. */
export function getContrast(a: string, b: string): number {
  const [first, second] = [getLuminance(a), getLuminance(b)];
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

function getLuminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((offset) => {
    const component = Number.parseInt(color.slice(offset, offset + 2), 16) / 255;
    return component <= 0.04045 ? component / 12.92 : ((component + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
