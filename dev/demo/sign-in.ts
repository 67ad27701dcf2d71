/** Signing in without hands, by the way that people take: for the demo's cookies and for tests. */

/** Where to sign in, and the inbox to which the link is mailed. */
export type Place = { baseUrl: string; inboxUrl: string }

/** A mail as the dev inbox lists it. */
type Mail = { to: string; subject: string; text: string; html: string }

/** The mails that an address got, newest first. */
export const mailsTo = async (email: string, inboxUrl: string): Promise<Mail[]> => {
  const answer = await fetch(`${inboxUrl}/mails.json?to=${encodeURIComponent(email)}`)
  return (await answer.json()) as Mail[]
}

/** The newest sign-in link that was mailed to an address. @throws when there is none */
export const newestLink = async (email: string, inboxUrl: string): Promise<URL> => {
  const [mail] = await mailsTo(email, inboxUrl)
  const link = mail?.text.match(/https?:\/\/\S+\/auth\/confirm\?\S+/)?.[0]
  if (!link) throw new Error(`No link was mailed to ${email}.`)
  return new URL(link)
}

/** Sends a form as a browser does, and doesn't follow the answer. */
export const submit = (
  url: string | URL,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' })

/** What a browser sends back of the cookies that an answer sets. */
export const cookieOf = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')

/** Asks for a link as people do, and gives the one that was mailed. @throws with the answer, when it is refused */
export const askForLink = async (
  email: string,
  { baseUrl, inboxUrl }: Place,
  headers: Record<string, string> = {},
  next = '/app',
): Promise<URL> => {
  const asked = await submit(`${baseUrl}/sign-in`, { email, next }, headers)
  const page = await asked.text()
  if (asked.status !== 200) throw new Error(`No link for ${email}: ${page}`)
  return newestLink(email, inboxUrl)
}

/** Presses the button of the page to which a link leads. */
export const press = (link: URL, headers: Record<string, string> = {}): Promise<Response> =>
  submit(new URL('/auth/confirm', link), Object.fromEntries(link.searchParams), headers)

/**
 * Asks for a link, reads the mail, presses the button.
 *
 * @param headers go with each request, such as the caller's address
 * @returns the complete `Cookie` header
 * @throws with the answer, when one of the steps is refused
 */
export const signIn = async (
  email: string,
  place: Place,
  headers: Record<string, string> = {},
): Promise<string> => {
  const confirmed = await press(await askForLink(email, place, headers), headers)
  if (confirmed.status !== 303) throw new Error(`${email} was not let in: ${await confirmed.text()}`)
  return cookieOf(confirmed)
}
