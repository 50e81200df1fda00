import { CSS_COLORS } from './css-colors.ts';

/**
 * Parses `#RGB`, `#RRGGBB` or a CSS color name and returns `#RRGGBB` (contract/planning.md §3.5), or null for anything else.
 * The case of hexadecimal digits is preserved.
 */
export function parseColor(text: string): string | null {
  const digits = text.trim();
  if (/^#[0-9a-fA-F]{6}$/.test(digits)) return digits;
  if (/^#[0-9a-fA-F]{3}$/.test(digits)) return digits.replace(/[0-9a-fA-F]/g, '$&$&');
  return CSS_COLORS.get(digits.toLowerCase()) ?? null;
}

/** A color is light if the sum of its red, green and blue parts is greater. */
const LIGHT_THRESHOLD = 500;

/** Returns the text color that is readable on this background color; both are `#RRGGBB`. */
export function textColorFor(color: string): string {
  const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return parts.reduce((sum, part) => sum + part, 0) > LIGHT_THRESHOLD ? '#1F1E24' : '#FFFFFF';
}
