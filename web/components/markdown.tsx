/** Text that users have written. */
export function Markdown({
  text,
}: {
  readonly text: string;
  /** The full path of the project whose references and files the text names; null outside of projects. */
  readonly project: string | null;
}) {
  return <div class="prose plain-text">{text}</div>;
}
