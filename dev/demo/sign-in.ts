/**
 * Signs people in by email link, as they do in a browser. For the demo's cookies, and for tests.
 */

/** Where to sign in, and the inbox that receives the link. */
export type Place = { baseUrl: string; inboxUrl: string }

/** A mail as the dev inbox lists it. */
type Mail = { to: string; subject: string; text: string; html: string }

/** The mails to an address, newest first. */
export const mailsTo = async (email: string, inboxUrl: string): Promise<Mail[]> => {
  const answer = await fetch(`${inboxUrl}/mails.json?to=${encodeURIComponent(email)}`)
  return (await answer.json()) as Mail[]
}

const LINK = /https?:\/\/\S+\/auth\/confirm\?\S+/

/** The newest sign-in link mailed to an address. @throws when there is none */
export const newestLink = async (email: string, inboxUrl: string): Promise<URL> => {
  // Other mails may arrive after it, such as the notice of an earlier sign-in.
  const [link] = (await mailsTo(email, inboxUrl)).flatMap(({ text }) => text.match(LINK) ?? [])
  if (!link) throw new Error(`No link was mailed to ${email}.`)
  return new URL(link)
}

/** Submits a form as a browser does, without following redirects. */
export const submit = (
  url: string | URL,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' })

/** The Cookie header for the cookies that a response sets. */
export const cookieOf = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')

/**
 * Requests a sign-in link and returns it from the mail.
 * @throws with the response when it is refused
 */
export const askForLink = async (
  email: string,
  { baseUrl, inboxUrl }: Place,
  headers: Record<string, string> = {},
  next = '/app',
): Promise<URL> => {
  const asked = await submit(`${baseUrl}/sign-in`, { email, next }, headers)
  const page = await asked.text()
  if (asked.status !== 200) throw new Error(`No sign-in link for ${email}: ${page}`)
  return newestLink(email, inboxUrl)
}

/** Confirms a sign-in link, as the button on its page does. */
export const press = (link: URL, headers: Record<string, string> = {}): Promise<Response> =>
  submit(new URL('/auth/confirm', link), Object.fromEntries(link.searchParams), headers)

/**
 * Signs in: requests a link, reads the mail, confirms the link.
 *
 * @param headers sent with each request, such as the client's address
 * @returns the `Cookie` header of the session; without the browser's own cookie, each sign-in is in
 *   a new browser
 * @throws with the response when a step is refused
 */
export const signIn = async (
  email: string,
  place: Place,
  headers: Record<string, string> = {},
): Promise<string> => {
  const confirmed = await press(await askForLink(email, place, headers), headers)
  if (confirmed.status !== 303)
    throw new Error(`Signing in as ${email} failed: ${await confirmed.text()}`)
  return cookieOf(confirmed).split('; ', 1).join()
}
