/** Lets a few through at once; the others wait in the order in which they came. */
export interface Gate {
  enter<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Enters without work; the place is free again when the function is called (once). */
  take(): Promise<() => void>;
}

export function gate(places: number): Gate {
  let free = places;
  const waiting: (() => void)[] = [];

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  async function take(): Promise<() => void> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return leave;
  }

  return {
    take,
    enter: async (work) => {
      await take();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
