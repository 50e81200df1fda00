/** The part of Trusted Types that the application uses. The types of the DOM do not contain it yet. */
interface TrustedTypesPolicyRules {
  createHTML?: (text: string) => string;
  createScriptURL?: (text: string) => string;
}
declare const trustedTypes:
  | { createPolicy<Rules extends TrustedTypesPolicyRules>(name: string, rules: Rules): Rules }
  | undefined;
