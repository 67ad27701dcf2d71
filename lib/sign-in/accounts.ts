/**
 * Several accounts in one browser. The session's cookie has the active one, and a second cookie the
 * signed sessions of the others. Somebody who signs in as another person keeps the former account.
 */
import { SESSION_DAYS } from '../auth/better-auth.ts'
import type { AuthContext } from '../auth/context.ts'
import { cookieName, expiredCookie } from '../auth/cookies.ts'
import { findSession } from './requests/links.ts'
import { endSession } from './requests/sign-in.queries.ts'

/** Accounts apart from the active one. Few, because the page of accounts looks each up. */
export const MAX_OTHERS = 4

/** As Better Auth's cookie, because it holds the same sessions. */
const MAX_AGE_SECONDS = SESSION_DAYS * 86_400

/** A signed session in a cookie: letters, digits and what URLs encode. */
const SIGNED = /^[\w.%~-]{20,200}$/

const othersName = (secure: boolean): string => `${secure ? '__Host-' : ''}tributary.others`

const attributes = (secure: boolean, seconds: number): string =>
  `Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`

/** The Set-Cookie header of the other accounts' sessions. */
const othersCookie = (others: Pick<Account, 'signed'>[], secure: boolean): string =>
  `${othersName(secure)}=${others.map(({ signed }) => signed).join('!')}; ${attributes(secure, others.length > 0 ? MAX_AGE_SECONDS : 0)}`

/** The value of a cookie as it was sent. */
const rawCookie = (c: AuthContext, name: string): string =>
  (c.req.header('Cookie') ?? '')
    .split(/; */)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? ''

const signedOthers = (c: AuthContext): string[] => {
  const sent = rawCookie(c, othersName(c.var.secure)).split('!')
  return [...new Set(sent.filter((signed) => SIGNED.test(signed)))].slice(0, MAX_OTHERS)
}

const activeSigned = (c: AuthContext): string => rawCookie(c, cookieName(c.var.secure))

/** A session of this browser. @property signed its value in a cookie */
export type Account = { id: string; userId: string; email: string; token: string; signed: string }

const accountOf = async (c: AuthContext, signed: string): Promise<Account | null> => {
  if (!signed) return null
  const session = await findSession(c.var, `${cookieName(c.var.secure)}=${signed}`)
  if (!session) return null
  const { id, token, user } = session
  return { id, userId: user.id, email: user.email, token, signed }
}

/** The other accounts of this browser whose sessions have not ended. */
export const otherAccounts = async (c: AuthContext): Promise<Account[]> => {
  const accounts = await Promise.all(signedOthers(c).map((signed) => accountOf(c, signed)))
  return accounts.filter((account) => account !== null)
}

/** All accounts of this browser. */
export const allAccounts = async (
  c: AuthContext,
): Promise<{ active: Account | null; others: Account[] }> => {
  const [active, others] = await Promise.all([accountOf(c, activeSigned(c)), otherAccounts(c)])
  return { active, others }
}

const activeFirst = ({ active, others }: Awaited<ReturnType<typeof allAccounts>>): Account[] =>
  active ? [active, ...others] : others

/**
 * When somebody signs in as another person, keeps the active account. Ends a former session of the
 * same person. The oldest account beyond MAX_OTHERS is signed out.
 *
 * @returns the Set-Cookie header of the others; null if there were and are none
 */
export const keepFormerAccount = async (c: AuthContext, userId: string): Promise<string | null> => {
  const accounts = await allAccounts(c)
  const former = activeFirst(accounts)
  const isKept = (account: Account, at: number) =>
    account.userId !== userId && former.findIndex((each) => each.userId === account.userId) === at
  const kept = former.filter(isKept).slice(0, MAX_OTHERS)
  for (const account of former)
    if (!kept.includes(account)) await endSession(c.var.db, account.token)
  return kept.length + accounts.others.length > 0 ? othersCookie(kept, c.var.secure) : null
}

/**
 * Makes another account of this browser active. @returns the Set-Cookie headers; null without it
 */
export const switchAccount = async (
  c: AuthContext,
  sessionId: string,
): Promise<string[] | null> => {
  const accounts = await allAccounts(c)
  const chosen = accounts.others.find(({ id }) => id === sessionId)
  if (!chosen) return null
  const rest = activeFirst(accounts).filter((account) => account !== chosen)
  const { secure } = c.var
  return [
    `${cookieName(secure)}=${chosen.signed}; ${attributes(secure, MAX_AGE_SECONDS)}`,
    othersCookie(rest, secure),
  ]
}

/** Signs another account of this browser out. @returns the Set-Cookie header */
export const signOutOther = async (c: AuthContext, sessionId: string): Promise<string> => {
  const others = await otherAccounts(c)
  for (const account of others)
    if (account.id === sessionId) await endSession(c.var.db, account.token)
  return othersCookie(
    others.filter(({ id }) => id !== sessionId),
    c.var.secure,
  )
}

/** Signs all accounts of this browser out. @returns the Set-Cookie headers */
export const signOutAll = async (c: AuthContext): Promise<string[]> => {
  for (const { token } of activeFirst(await allAccounts(c))) await endSession(c.var.db, token)
  return [expiredCookie(c.var.secure), othersCookie([], c.var.secure)]
}
