/** What the application uses of Trusted Types, which the types of the DOM do not contain yet. */
interface TrustedTypesPolicyRules {
  createHTML?: (text: string) => string;
  createScriptURL?: (text: string) => string;
}
declare const trustedTypes:
  | { createPolicy<Rules extends TrustedTypesPolicyRules>(name: string, rules: Rules): Rules }
  | undefined;
