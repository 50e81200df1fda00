/** An HTML tag, comment or declaration. A match ends before another tag begins. */
const TAG = /<[a-z/!?][^<>]*>/gi;

/** Removes HTML tags, also those that appear only after others are removed. */
export function stripTags(text: string): string {
  const stripped = text.replace(TAG, '');
  return stripped === text ? text : stripTags(stripped);
}
