/**
 * Does the text consist of these parts in their order, with anything between them? The first part begins it, the last
 * one ends it; an empty one at an edge lets anything stand there. Linear in the text, whatever the parts.
 */
export function matchesParts(text: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
