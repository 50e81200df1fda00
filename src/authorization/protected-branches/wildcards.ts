/**
 * Returns whether the text matches a pattern given as the parts between its wildcards: it starts with the first part,
 * ends with the last, and contains the others in order. Linear in the length of the text.
 */
export function matchesParts(text: string, parts: readonly string[]): boolean {
  const [first = '', ...otherParts] = parts;
  const last = otherParts.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of otherParts) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
