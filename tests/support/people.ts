/** Signing in, at the shared Workers by default. */
import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { inject } from 'vitest'
import * as dev from '../../dev/demo/sign-in.ts'
import { newId } from '../../lib/db/ids.ts'
import type { DatabaseEnv } from '../../lib/db/neon.ts'
import { connectDirectly } from './databases.ts'
import { AUTH_SECRET } from './secrets.ts'

export { cookieOf } from '../../dev/demo/sign-in.ts'

/** The mails to an address, newest first. */
export const mailsTo = (email: string, inboxUrl = inject('inboxUrl')) =>
  dev.mailsTo(email, inboxUrl)

/** The newest sign-in link mailed to an address. */
export const newestLink = (email: string, inboxUrl = inject('inboxUrl')) =>
  dev.newestLink(email, inboxUrl)

/** Headers with an IP address of their own, so that tests don't share one rate limit. */
export const fromSomewhere = (): Record<string, string> => ({
  'CF-Connecting-IP': crypto.randomUUID(),
})

/** Submits a form as a browser does, without following redirects. */
export const submit = (
  url: string | URL,
  fields: Record<string, string>,
  headers = fromSomewhere(),
) => dev.submit(url, fields, headers)

/** A unique email address. */
export const somebody = (name = 'ann') => `${name}-${crypto.randomUUID()}@example.com`

/** Requests a sign-in link. @returns the link from the mail */
export const askForLink = (
  email: string,
  {
    next,
    baseUrl = inject('baseUrl'),
    inboxUrl = inject('inboxUrl'),
  }: Partial<dev.Place> & { next?: string } = {},
) => dev.askForLink(email, { baseUrl, inboxUrl }, fromSomewhere(), next)

/** Confirms a sign-in link, as the button of its page does. */
export const press = (link: URL, headers = fromSomewhere()) => dev.press(link, headers)

/** The email address that a cookie is signed in as, or null. */
export const whoIs = async (
  cookie: string,
  baseUrl = inject('baseUrl'),
): Promise<string | null> => {
  const answer = await fetch(`${baseUrl}/api/auth/get-session`, { headers: { Cookie: cookie } })
  const session = (await answer.json()) as { user: { email: string } } | null
  return session?.user.email ?? null
}

/** Signs in by mail, in a new browser. @returns the `Cookie` header of the session */
export const signIn = (
  email: string,
  { baseUrl = inject('baseUrl'), inboxUrl = inject('inboxUrl') }: Partial<dev.Place> = {},
) => dev.signIn(email, { baseUrl, inboxUrl }, fromSomewhere())

/**
 * Opens a session as signing in does, without a mail. Tests of signing in itself call `signIn`.
 *
 * @returns the complete `Cookie` header
 */
export const openSession = async (
  email: string,
  database: DatabaseEnv = inject('database'),
): Promise<string> => {
  const token = crypto.randomUUID()
  // Without the trigger that adds the sign-in to the audit log: a test's log has what the test
  // does.
  await connectDirectly(database)
    .transaction()
    .execute(async (transaction) => {
      await sql`set local session_replication_role = replica`.execute(transaction)
      await sql`
    with person as (
      insert into sign_in.users (id, name, email, email_verified, created_at, updated_at)
      values (${newId()}, '', ${email}, true, now(), now())
      on conflict (email) do update set updated_at = now() returning id)
    insert into sign_in.sessions (id, user_id, token, expires_at, created_at, updated_at)
    select ${newId()}, id, ${token}, now() + interval '30 days', now(), now() from person`.execute(
        transaction,
      )
    })
  const signature = createHmac('sha256', AUTH_SECRET).update(token).digest('base64')
  return `tributary.session=${encodeURIComponent(`${token}.${signature}`)}`
}
