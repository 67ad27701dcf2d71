/** People who sign in, at the Workers of all tests unless told otherwise. */
import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { inject } from 'vitest'
import * as dev from '../../dev/demo/sign-in.ts'
import { connect, type DatabaseEnv } from '../../lib/db/connection.ts'
import { newId } from '../../lib/db/ids.ts'
import { AUTH_SECRET } from './secrets.ts'

export { cookieOf } from '../../dev/demo/sign-in.ts'

/** The mails that an address got, newest first. */
export const mailsTo = (email: string, inboxUrl = inject('inboxUrl')) => dev.mailsTo(email, inboxUrl)

/** The newest sign-in link that was mailed to an address. */
export const newestLink = (email: string, inboxUrl = inject('inboxUrl')) => dev.newestLink(email, inboxUrl)

/** Headers of a caller with an address of its own, or all tests together would run into one caller's limit. */
export const fromSomewhere = (): Record<string, string> => ({ 'CF-Connecting-IP': crypto.randomUUID() })

/** Sends a form as a browser does, and doesn't follow the answer. */
export const submit = (url: string | URL, fields: Record<string, string>, headers = fromSomewhere()) =>
  dev.submit(url, fields, headers)

/** Somebody whom no other test knows. */
export const somebody = (name = 'ann') => `${name}-${crypto.randomUUID()}@example.com`

/** Asks for a link as people do, and gives the one that was mailed. */
export const askForLink = (
  email: string,
  {
    next,
    baseUrl = inject('baseUrl'),
    inboxUrl = inject('inboxUrl'),
  }: Partial<dev.Place> & { next?: string } = {},
) => dev.askForLink(email, { baseUrl, inboxUrl }, fromSomewhere(), next)

/** Presses the button of the page to which a link leads. */
export const press = (link: URL, headers = fromSomewhere()) => dev.press(link, headers)

/** Who the Workers take the holder of a cookie for: an address, or null. */
export const whoIs = async (cookie: string, baseUrl = inject('baseUrl')): Promise<string | null> => {
  const answer = await fetch(`${baseUrl}/api/auth/get-session`, { headers: { Cookie: cookie } })
  const session = (await answer.json()) as { user: { email: string } } | null
  return session?.user.email ?? null
}

/** Signs somebody in as people do. @returns the complete `Cookie` header */
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
  await sql`
    with person as (
      insert into auth.users (id, name, email, email_verified, created_at, updated_at)
      values (${newId()}, '', ${email}, true, now(), now())
      on conflict (email) do update set updated_at = now() returning id)
    insert into auth.sessions (id, user_id, token, expires_at, created_at, updated_at)
    select ${newId()}, id, ${token}, now() + interval '30 days', now(), now() from person`.execute(
    connect(database),
  )
  const signature = createHmac('sha256', AUTH_SECRET).update(token).digest('base64')
  return `tributary.session=${encodeURIComponent(`${token}.${signature}`)}`
}
