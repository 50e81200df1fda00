/**
 * Returns whether the text matches a pattern given as the parts between its wildcards. The text must start with the
 * first part, end with the last, and contain the others in order. Linear in the length of the text.
 */
export function matchesParts(text: string, parts: readonly string[]): boolean {
  const [first = '', ...otherParts] = parts;
  const last = otherParts.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let start = first.length;
  for (const part of otherParts) {
    const index = text.indexOf(part, start);
    if (index === -1) return false;
    start = index + part.length;
  }
  return text.length - last.length >= start && text.endsWith(last);
}
