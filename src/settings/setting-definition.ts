/** Definition of a setting. The default determines its type. */
export interface SettingDefinition<T> {
  readonly kind: 'boolean' | 'integer' | 'text' | 'choice' | 'list' | 'weights';
  readonly default: T;
  /** Whether null is a valid value. It means no limit, or no text. */
  readonly nullable: boolean;
  /** Allowed values of a choice, or of each element of a list. */
  readonly values?: readonly string[];
  /** Returns the validation error of a value, or null. */
  readonly validate?: (value: T) => string | null;
}
