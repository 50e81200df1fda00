/** What an installer returns: the path of the program, or the reason why there is none. */
export type Program = { readonly program: string; readonly reason?: never } | { readonly reason: string };
