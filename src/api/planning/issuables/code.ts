/** The places of a sign, one character, that stand in code, between back-ticks or lines of them: there it names nothing. */
export function placesInCode(text: string, sign: string): ReadonlySet<number> {
  const places = new Set<number>();
  let open: string | null = null;
  let signs: number[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === sign) signs.push(at);
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
