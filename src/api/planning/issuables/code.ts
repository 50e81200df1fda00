/** Where a text is code: there it names nothing. */
export interface Code {
  has(place: number): boolean;
}

/** So many places of a text are looked at for names, whatever is found there. */
export const MOST_PLACES = 10_000;

const TICK = '`';

/**
 * What stands between back-ticks, or lines of as many of them. Three and more that nothing ends hold on to the end of the text.
 * Time grows with the text's length alone, whatever it is made of.
 */
export function codeIn(text: string): Code {
  /** Where code begins and ends, one after the other. */
  const borders: number[] = [];
  let open: { readonly from: number; readonly ticks: number } | null = null;
  for (let at = text.indexOf(TICK); at >= 0; at = text.indexOf(TICK, at)) {
    const from = at;
    while (text[at] === TICK) at++;
    const ticks = at - from;
    if (open === null) open = { from, ticks };
    else if (open.ticks === ticks) {
      borders.push(open.from, at);
      open = null;
    }
  }
  if (open !== null && open.ticks >= 3) borders.push(open.from, text.length);
  return { has: (place) => bordersUpTo(borders, place) % 2 === 1 };
}

/** How many of these ascending places are at or before this one. */
function bordersUpTo(borders: readonly number[], place: number): number {
  let [from, to] = [0, borders.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (borders[middle]! <= place) from = middle + 1;
    else to = middle;
  }
  return from;
}
