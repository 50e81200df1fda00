/** Returns the project and number in `#3`, `group/project#3`, `3` or the URL of an issue; null if the text is none of them. */
export function parseIssueReference(
  text: string,
  currentProject: string,
): { readonly project: string; readonly iid: number } | null {
  const match =
    /^(?:https?:\/\/[^/]+\/)?(?<path>[^#]+)\/-\/(?:issues|work_items)\/(?<iid>\d+)(?:[?#].*)?$/.exec(text.trim()) ??
    /^(?:(?<path>[^#]+)?#)?(?<iid>\d+)$/.exec(text.trim());
  if (match === null) return null;
  return { project: match.groups?.path ?? currentProject, iid: Number(match.groups?.iid) };
}
