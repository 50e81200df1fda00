/** The only place of refusal texts: code -> status and text (or a whole body). `{name}` is filled from the refusal's values. */
export type Refusals = Readonly<Record<string, RefusalEntry>>;
export type RefusalEntry =
  | readonly [status: number, text: string]
  | readonly [status: number, body: Readonly<Record<string, unknown>>]
  | readonly [
      status: number,
      body: string | Readonly<Record<string, unknown>>,
      headers: Readonly<Record<string, string>>,
    ];
