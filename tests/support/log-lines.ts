/** What no log line may hold: see lib/http/logging.ts. */
import { AUTH_SECRET, RESEND_API_KEY, SECRETS_KEY } from './secrets.ts'

/** By what it is. */
const FORBIDDEN: Record<string, RegExp> = {
  'an email address': /[\w.+-]+(@|%40)[\w-]+(\.[\w-]+)+/,
  'an API key': /trib_(live|test)_\w/,
  'a Stripe key or signing secret': /\b(sk|rk|whsec)_\w/,
  'a token or a hash': /(?=[A-Za-z]*\d)[0-9A-Za-z]{32,}/,
  'a session': /tributary\.session=/,
  'a connection string': /postgres(ql)?:\/\//,
}

const OURS = [AUTH_SECRET, SECRETS_KEY, RESEND_API_KEY]

/** What a line must not hold, by name; none for a good line. */
export const forbiddenIn = (line: string): string[] => [
  ...Object.entries(FORBIDDEN).flatMap(([name, form]) => (form.test(line) ? [name] : [])),
  ...OURS.filter((secret) => line.includes(secret)).map(() => 'a secret of the installation'),
]

/** @throws {Error} quoting a line that holds what it must not */
export const checkLines = (lines: string[]): void => {
  const bad = lines.flatMap((line) => {
    const found = forbiddenIn(line)
    return found.length > 0 ? [`${found.join(', ')}: ${line}`] : []
  })
  if (bad.length > 0)
    throw new Error(`The Workers logged what no log may hold.\n${bad.slice(0, 20).join('\n')}`)
}
