const DRAFT = 'draft:';

/** Returns whether a title marks a draft: it begins with `Draft:`, in any case. */
export function isDraft(title: string): boolean {
  return title.slice(0, DRAFT.length).toLowerCase() === DRAFT;
}
