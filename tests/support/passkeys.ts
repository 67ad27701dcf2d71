/** Passkeys of people, by the requests that the pages make. */
import { inject } from 'vitest'
import { type Authenticator, createAuthenticator } from './authenticator.ts'
import type { useDatabase } from './merchant.ts'
import { fromSomewhere, submit } from './people.ts'

const url = (path: string) => `${inject('baseUrl')}/auth/passkeys${path}`

/** Sends JSON as a session. */
export const askPasskeys = (cookie: string, path: 'options' | 'confirm', body: unknown) =>
  fetch(url(`/${path}`), {
    method: 'POST',
    headers: { ...fromSomewhere(), 'Content-Type': 'application/json', Cookie: cookie },
    body: JSON.stringify(body),
  })

/** What a session is asked to sign. */
export const challengeOf = async (cookie: string, purpose: 'add' | 'confirm' = 'confirm') => {
  const answer = await askPasskeys(cookie, 'options', { purpose })
  if (answer.status !== 200)
    throw new Error(`No challenge: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as { challenge: string }
}

/** Sends the form that adds a passkey. */
export const sendPasskey = (cookie: string, response: unknown, name = 'Laptop') =>
  submit(
    url('/add'),
    { name, response: JSON.stringify(response) },
    { ...fromSomewhere(), Cookie: cookie },
  )

/** Adds a passkey as a session. @returns the device */
export const addPasskey = async (
  cookie: string,
  device?: Authenticator,
): Promise<Authenticator> => {
  const added = device ?? createAuthenticator(inject('baseUrl'))
  const answer = await sendPasskey(cookie, added.register(await challengeOf(cookie, 'add')))
  if (!answer.headers.get('Location')?.endsWith('done=added'))
    throw new Error(`Not added: ${answer.status} ${await answer.text()}`)
  return added
}

/** Confirms a session with a passkey. @returns the status */
export const confirmWith = async (cookie: string, device: Authenticator): Promise<number> =>
  (await askPasskeys(cookie, 'confirm', device.sign(await challengeOf(cookie)))).status

/** Lets the passkeys of a person count, as 72 hours later. */
export const endWait = (database: ReturnType<typeof useDatabase>, email: string) =>
  database.query(
    `update sign_in.passkeys set created_at = created_at - interval '73 hours', counts_from = counts_from - interval '73 hours'
     where user_id = (select id from sign_in.users where email = $1)`,
    [email],
  )
