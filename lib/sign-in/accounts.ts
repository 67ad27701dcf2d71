/**
 * Several accounts in one browser: one is active, by the session's cookie, and the sessions of the
 * others are in a second cookie, each as it was signed. Switching makes another one active. Whoever
 * signs in as somebody else keeps the former account there.
 */
import { SESSION_DAYS } from '../auth/better-auth.ts'
import type { AuthContext } from '../auth/context.ts'
import { cookieName, expiredCookie } from '../auth/cookies.ts'
import { findSession } from './requests/links.ts'
import { endSession } from './requests/sign-in.queries.ts'

/**
 * Accounts besides the active one. Nobody has more, and each is looked up on the page of accounts.
 */
export const MAX_OTHERS = 4

/** As Better Auth's, because it holds what that does. */
const MAX_AGE_SECONDS = SESSION_DAYS * 86_400

/** A signed session, as it stands in a cookie: letters, digits and what URLs encode. */
const SIGNED = /^[\w.%~-]{20,200}$/

const othersName = (secure: boolean): string => `${secure ? '__Host-' : ''}tributary.others`

const attributes = (secure: boolean, seconds: number): string =>
  `Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`

/** The Set-Cookie header of the other accounts' sessions. */
const othersCookie = (signed: string[], secure: boolean): string =>
  `${othersName(secure)}=${signed.join('!')}; ${attributes(secure, signed.length > 0 ? MAX_AGE_SECONDS : 0)}`

/** The value of a cookie as it was sent. */
const rawCookie = (c: AuthContext, name: string): string =>
  (c.req.header('Cookie') ?? '')
    .split(/; */)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? ''

const signedOthers = (c: AuthContext): string[] =>
  [
    ...new Set(
      rawCookie(c, othersName(c.var.secure))
        .split('!')
        .filter((signed) => SIGNED.test(signed)),
    ),
  ].slice(0, MAX_OTHERS)

const activeSigned = (c: AuthContext): string => rawCookie(c, cookieName(c.var.secure))

/** A session of this browser, and how its cookie says it. */
export type Account = { id: string; userId: string; email: string; token: string; signed: string }

const accountOf = async (c: AuthContext, signed: string): Promise<Account | null> => {
  if (!signed) return null
  const session = await findSession(c.var, `${cookieName(c.var.secure)}=${signed}`)
  return (
    session && {
      id: session.id,
      userId: session.user.id,
      email: session.user.email,
      token: session.token,
      signed,
    }
  )
}

/** The other accounts of this browser whose sessions have not ended. */
export const otherAccounts = async (c: AuthContext): Promise<Account[]> => {
  const accounts = await Promise.all(signedOthers(c).map((signed) => accountOf(c, signed)))
  return accounts.filter((account) => account !== null)
}

/**
 * Keeps the account that was active when somebody signs in as another person, and ends the session
 * of the same person. The oldest account beyond MAX_OTHERS is signed out.
 *
 * @returns the Set-Cookie header of the others; null if there were and are none
 */
export const keepFormerAccount = async (c: AuthContext, userId: string): Promise<string | null> => {
  const [active, others] = await Promise.all([accountOf(c, activeSigned(c)), otherAccounts(c)])
  const former = [...(active ? [active] : []), ...others]
  const isKept = (account: Account, at: number) =>
    account.userId !== userId && former.findIndex((each) => each.userId === account.userId) === at
  const kept = former.filter(isKept).slice(0, MAX_OTHERS)
  for (const account of former)
    if (!kept.includes(account)) await endSession(c.var.db, account.token)
  return kept.length + others.length > 0 ? othersCookie(signedOf(kept), c.var.secure) : null
}

const signedOf = (accounts: Account[]): string[] => accounts.map(({ signed }) => signed)

/** All accounts of this browser. */
export const allAccounts = async (
  c: AuthContext,
): Promise<{ active: Account | null; others: Account[] }> => {
  const [active, others] = await Promise.all([accountOf(c, activeSigned(c)), otherAccounts(c)])
  return { active, others }
}

/**
 * Makes another account of this browser the active one.
 * @returns the Set-Cookie headers; null if it is none of this browser
 */
export const switchAccount = async (
  c: AuthContext,
  sessionId: string,
): Promise<string[] | null> => {
  const { active, others } = await allAccounts(c)
  const chosen = others.find(({ id }) => id === sessionId)
  if (!chosen) return null
  const rest = [...(active ? [active] : []), ...others].filter((account) => account !== chosen)
  const { secure } = c.var
  return [
    `${cookieName(secure)}=${chosen.signed}; ${attributes(secure, MAX_AGE_SECONDS)}`,
    othersCookie(signedOf(rest), secure),
  ]
}

/** Signs another account of this browser out. @returns the Set-Cookie header */
export const signOutOther = async (c: AuthContext, sessionId: string): Promise<string> => {
  const others = await otherAccounts(c)
  for (const account of others)
    if (account.id === sessionId) await endSession(c.var.db, account.token)
  return othersCookie(signedOf(others.filter(({ id }) => id !== sessionId)), c.var.secure)
}

/** Signs all accounts of this browser out. @returns the Set-Cookie headers */
export const signOutAll = async (c: AuthContext): Promise<string[]> => {
  const { active, others } = await allAccounts(c)
  for (const { token } of [...(active ? [active] : []), ...others])
    await endSession(c.var.db, token)
  return [expiredCookie(c.var.secure), othersCookie([], c.var.secure)]
}
