/** The places of these signs, one character each, that stand in code, between back-ticks or lines of them: there they name nothing. */
export function placesInCode(text: string, wanted: string): ReadonlySet<number> {
  const places = new Set<number>();
  let open: string | null = null;
  let signs: number[] = [];
  for (let at = 0; at < text.length; at++) {
    if (wanted.includes(text[at]!)) signs.push(at);
    if (text[at] !== '`') continue;
    let end = at;
    while (text[end] === '`') end++;
    const ticks = text.slice(at, end);
    if (open === ticks) {
      for (const place of signs) places.add(place);
      open = null;
    } else if (open === null) {
      open = ticks;
      signs = [];
    }
    at = end - 1;
  }
  // Three ticks and more hold on to the end of the text.
  if (open !== null && open.length >= 3) for (const place of signs) places.add(place);
  return places;
}
