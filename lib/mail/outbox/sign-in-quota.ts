/**
 * Who is mailed a sign-in link. Strangers must not spend what the people of this installation need
 * to sign in, nor learn who they are: so the answer to a request follows from its network and from
 * the installation, never from whether its address is known.
 */
import { numberSetting } from '../../platform/settings.ts'
import { dailyQuota, type QuotaSettings, roomOf, type Usage } from './quota.ts'

export type SignInSettings = QuotaSettings & {
  /** Links a day (UTC) to unknown addresses, in all. */
  UNKNOWN_DAILY_SIGN_INS?: string
  /** Links a day that a network may request before only known addresses get one. */
  NETWORK_DAILY_SIGN_INS?: string
  /** Links a day to a mailbox, but for browsers in which the person has signed in. */
  MAILBOX_DAILY_SIGN_INS?: string
}

/** The facts about a request. Counts include the request. */
export type SignInFacts = {
  /** Whether the person has signed in before, or is a member of a trusted workspace. */
  isKnown: boolean
  /** Whether the person has signed in with this browser before. */
  isKnownBrowser: boolean
  /** Requests today from its network, and to its mailbox. */
  fromNetwork: number
  toMailbox: number
  /** Links today to unknown addresses, without this one. */
  toUnknown: number
  usage: Usage
}

/**
 * `mail`: the answer says whether it was sent. `mail_unseen`: it is sent after the answer, which is
 * the same as of `withhold`. `exhausted`: nobody is mailed, because the provider's quota is used
 * up.
 */
export type SignInDecision =
  | { kind: 'mail' | 'mail_unseen' | 'withhold' }
  | { kind: 'exhausted'; until: Date }

/** The share of a daily quota that unknown addresses may have. */
const UNKNOWN_SHARE = 0.25
/** Without a daily quota. */
const UNKNOWN_DAILY = 1_000
/** The number of people in an office who sign in for the first time on one day. */
const NETWORK_DAILY = 10
/** Known addresses have a limit this many times higher. */
const KNOWN_FACTOR = 10
/** More than anybody needs for new browsers, and a small part of a quota. */
const MAILBOX_DAILY = 20

/** How many requests of a network, and to a mailbox, are served before others decide. */
export const capsOf = (settings: SignInSettings) => ({
  network: numberSetting(settings.NETWORK_DAILY_SIGN_INS, NETWORK_DAILY),
  mailbox: numberSetting(settings.MAILBOX_DAILY_SIGN_INS, MAILBOX_DAILY),
})

/** Decides whether a request is answered with a mail. */
export const decideSignIn = (
  facts: SignInFacts,
  settings: SignInSettings,
  now: Date,
): SignInDecision => {
  const { usage } = facts
  if (usage.exhaustedUntil && usage.exhaustedUntil > now)
    return { kind: 'exhausted', until: usage.exhaustedUntil }
  if (facts.isKnownBrowser) return { kind: 'mail' }
  const caps = capsOf(settings)
  if (facts.toMailbox > caps.mailbox) return { kind: 'withhold' }

  const daily = dailyQuota(settings, usage)
  const unknownCap = numberSetting(
    settings.UNKNOWN_DAILY_SIGN_INS,
    daily === null ? UNKNOWN_DAILY : Math.floor(daily * UNKNOWN_SHARE),
  )
  const isLimited =
    facts.fromNetwork > caps.network ||
    facts.toUnknown >= unknownCap ||
    roomOf(settings, usage, now).unreserved === 0
  if (!isLimited) return { kind: 'mail' }
  const isServed = facts.isKnown && facts.fromNetwork <= caps.network * KNOWN_FACTOR
  return { kind: isServed ? 'mail_unseen' : 'withhold' }
}
